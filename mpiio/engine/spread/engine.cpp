#include "mpiio/engine/spread/engine.hpp"

#include <filesystem>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/format.hpp"
#include "mpiio/engine/exchange.hpp"
#include "mpiio/engine/spread/file.hpp"

namespace kumihimo::mpiio::spread {

namespace {

constexpr std::string_view stampi = "stampi:";

template <typename Act>
std::optional<Failure> tried(Act&& act) {
    try {
        act();
        return std::nullopt;
    } catch (const base::Error& error) {
        return Failure{MPI_ERR_BAD_FILE, error.what(), 0};
    }
}

// Rank 0 reads the metafile, so that all ranks take the same, from wherever they were started.
std::optional<Failure> share(const OpenRequest& request, way::Spread& spread) {
    int rank = 0;
    MPI_Comm_rank(request.comm, &rank);
    iod::Payload told;
    const auto read = [&] {
        const std::string text = std::filesystem::absolute(request.path).string() + '\n' + way::read_text(request.path);
        told = iod::Payload(std::as_bytes(std::span(text)));
    };
    if (auto failure = base::agree(request.comm, rank == 0 ? tried(read) : std::nullopt, "rank")) return failure;
    const iod::Payload all = broadcast(request.comm, told);
    const std::string text(reinterpret_cast<const char*>(all.data()), all.size());
    const std::size_t line = text.find('\n');
    const auto parse = [&] { spread = way::parse_metafile(text.substr(0, line), text.substr(line + 1)); };
    return base::agree(request.comm, tried(parse), "rank");
}

// Which engine has a file of the metafile, and its name there.
std::pair<const Engine*, std::string> engine_of(const std::string& name) {
    if (name.starts_with(stampi)) return {find_engine("stampi"), name.substr(stampi.size())};
    return {find_engine("direct"), name};
}

std::unique_ptr<EngineFile> open(const OpenRequest& request, std::optional<Failure>& failure) {
    way::Spread spread;
    failure = share(request, spread);
    if (failure) return nullptr;
    Members members;
    for (const std::string& name : spread.files) {
        const auto [engine, path] = engine_of(name);
        Member member(request.comm);
        member.file = engine->open({member.comm, path, request.amode, request.hints}, failure);
        if (failure) {
            for (const Member& opened : members) (void)opened.file->close();
            return nullptr;
        }
        members.push_back(std::move(member));
    }
    return std::make_unique<SpreadFile>(std::move(spread), std::move(members));
}

// The metafile stays.
std::optional<Failure> remove(const std::string& path) {
    way::Spread spread;
    std::optional<Failure> first = tried([&] { spread = way::parse_metafile(path, way::read_text(path)); });
    for (const std::string& name : spread.files) {
        const auto [engine, one] = engine_of(name);
        auto failure = engine->remove(one);
        if (!first) first = std::move(failure);
    }
    return first;
}

}  // namespace

constinit const Engine engine = {"stampi+meta", "One file that lies in several, on any machines, as a metafile says.", open,
                                 remove, true};

}  // namespace kumihimo::mpiio::spread
