#include "runtime/xmpio/opening.hpp"

#include <sstream>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "base/settings_agreement.hpp"
#include "mpiio/engine/settings.hpp"
#include "runtime/xmpio/library_file.hpp"

namespace kumihimo::xmpio {

namespace {

using mpiio::Failure;

struct Server {
    const mpiio::Engine* engine = nullptr;  // none: the MPI library
    std::string path;                       // as the server knows the file
    std::optional<Failure> refusal;
};

// The same on all nodes, as names and settings are.
Server server_of(const std::string& name) {
    const mpiio::Selection selection = mpiio::selection_by_settings();
    const mpiio::Verdict verdict = selection.of(name, std::nullopt);
    if (auto* const refusal = std::get_if<mpiio::Refusal>(&verdict))
        return {nullptr, name, Failure{refusal->error_class, refusal->text}};
    if (auto* const choice = std::get_if<mpiio::Choice>(&verdict))
        return {mpiio::find_engine(choice->engine), choice->path, {}};
    if (std::get<mpiio::Untouched>(verdict).chosen) return {nullptr, selection.native_name(name), {}};
    return {&mpiio::engines().front(), selection.path(name), {}};
}

[[noreturn]] void refuse_hint(const std::string& piece) {
    throw base::Error(fmt::format("KUMIHIMO_XMPIO_HINTS: '{}' is no hint", piece.substr(0, 40)),
                      "Write KEY=VALUE, separated by commas.");
}

// What KUMIHIMO_XMPIO_HINTS says about every file. A piece without = belongs to the value before it.
mpiio::Hints hints_by_settings() {
    std::istringstream pieces(base::setting("KUMIHIMO_XMPIO_HINTS"));
    mpiio::Hints hints;
    std::string last;
    for (std::string piece; std::getline(pieces, piece, ',');) {
        const auto equals = piece.find('=');
        if (equals == std::string::npos && last.empty()) refuse_hint(piece);
        if (equals != std::string::npos) last = piece.substr(0, equals);
        std::string& value = hints[last];
        value = equals == std::string::npos ? value + "," + piece : piece.substr(equals + 1);
        const bool fits = !last.empty() && last.size() < MPI_MAX_INFO_KEY && !value.empty() && value.size() < MPI_MAX_INFO_VAL;
        if (!fits) refuse_hint(piece);
    }
    return hints;
}

}  // namespace

OpenedFile open_engine_file(MPI_Comm comm, const std::string& name, int amode, std::optional<Failure>& failure) {
    failure = base::agree_on_settings(comm, base::files, mpiio::text_checks(), "node");
    if (failure) return {};
    const Server server = server_of(name);
    failure = server.refusal;
    if (failure) return {};
    mpiio::OpenRequest request = {comm, server.path, amode, {}};
    try {
        request.hints = hints_by_settings();
        // Unless the user asks for it nothing is put off: others see what was written, and the call that meets a full disk says
        // so.
        if (!base::setting_is_set("KUMIHIMO_IO_WRITE_BEHIND")) request.hints.try_emplace("kumihimo_write_behind", "off");
    } catch (const base::Error& error) {  // on all nodes
        failure = Failure{-1, fmt::format("{}. {}", error.what(), error.advice())};
        return {};
    }
    if (server.engine == nullptr) return {LibraryFile::open(request, failure)};
    return {server.engine->open(request, failure), server.engine->name};
}

std::optional<Failure> remove_file(const std::string& name) {
    const Server server = server_of(name);
    if (server.refusal) return server.refusal;
    return server.engine == nullptr ? LibraryFile::remove(server.path) : server.engine->remove(server.path);
}

}  // namespace kumihimo::xmpio
