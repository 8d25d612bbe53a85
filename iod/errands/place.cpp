#include "iod/errands/place.hpp"

#include <unistd.h>

#include <chrono>
#include <climits>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "iod/client/agent.hpp"
#include "iod/files/digest.hpp"
#include "iod/link/random_bytes.hpp"
#include "iod/process/agent.hpp"

namespace kumihimo::iod::errands {

namespace {

namespace fs = std::filesystem;

constexpr const char* scheme = "stampi:";
constexpr std::string_view part_ending = ".kumihimo-part";
// Of names that are longer their digest stands for the rest, so that the part's fits the file system.
constexpr std::size_t digits = 16, most_whole_name = NAME_MAX - 1 - part_ending.size();

// The directory without links and steps up, which the service refuses.
std::string absolute(const std::string& path) {
    const fs::path given = fs::absolute(path);
    const bool named = given.has_filename() && given.filename() != "." && given.filename() != "..";
    std::error_code ignored;
    const fs::path directory = fs::weakly_canonical(named ? given.parent_path() : given, ignored);
    return (named ? directory / given.filename() : directory).string();
}

std::size_t window() {
    return static_cast<std::size_t>(base::setting_number("KUMIHIMO_STAMPI_WINDOW"));
}

Link link_here() {
    StartedAgent started = link::start("thread", run_file_agent_here);
    Link link{std::move(started.running), Connection(base::Descriptor(started.connection), "the file service of this machine")};
    link.connection.greet("a command");
    return link;
}

// Questions of ssh appear on the terminal.
Link link_to(const way::Machine& machine, way::Storing::By storing, std::uint16_t& version) {
    const auto questions = ::isatty(STDIN_FILENO) == 1 ? way::Questions::at_the_terminal : way::Questions::never;
    Agent agent = Agent::start(fmt::format("the way to {}", machine.address), "thread");
    const Routed routed = agent.route(way::route_to(machine, questions, {storing}));
    expect(routed.status);
    version = routed.version;
    if (version < version_of_commands)
        throw Failure(
            fmt::format("kumihimo-iod on {} is older: it speaks version {} of the protocol, and this needs version {}",
                        machine.address, version, version_of_commands));
    return agent.take_link();
}

}  // namespace

void expect(const Status& status) {
    if (!status.ok()) throw Failure(status.text);
}

Place place_of(const std::string& name) {
    Place place{name, {}, {}, true};
    if (!name.starts_with(scheme)) {
        if (name.empty()) throw Failure("a file without a name");
        place.path = absolute(name);
        return place;
    }
    way::Name parts;
    expect(way::parse(name.substr(std::char_traits<char>::length(scheme)), parts));
    place.machine = way::machine_of(parts);
    place.here = place.machine.is_this();
    place.path = place.here ? absolute(way::path_here(place.machine, parts)) : parts.path;
    return place;
}

std::string part_name(const std::string& path) {
    const std::size_t begin = path.rfind('/') + 1;
    std::string name = path.substr(begin);
    if (name.size() > most_whole_name) {
        RunningDigest digest;
        digest.add(std::as_bytes(std::span(name)));
        name = fmt::format("{}{:016x}", name.substr(0, most_whole_name - digits), static_cast<std::uint64_t>(digest.value()));
    }
    return fmt::format("{}.{}{}", path.substr(0, begin), name, part_ending);
}

Service::Service(const Place& place, way::Storing::By storing) try : here_(place.here) {
    Link link = place.here ? link_here() : link_to(place.machine, storing, version_);
    remote_ = std::make_unique<Remote>(std::move(link), window());
} catch (const ConnectionLost& lost) {
    throw Failure(lost.status().text);
} catch (const base::Error& error) {
    throw Failure(fmt::format("{}{}{}", error.what(), error.advice().empty() ? "" : ". ", error.advice()));
}

OpenFile::OpenFile(Service& service, const std::string& path, const OpenMode& mode) : remote_(*service), path_(path) {
    expect(mode.write ? open_sole(mode) : remote_.open(FileOpen{path, mode, process::random_name(), true}));
    if (!service.here() || mode.write) return;
    here_ = std::make_unique<process::File>(path, "on this machine");
    bool is_new = false;
    expect(here_->open(mode, is_new));
}

// The service of a command that was interrupted just now may have to end its last writes.
Status OpenFile::open_sole(const OpenMode& mode) {
    constexpr int tries = 20;
    constexpr std::chrono::milliseconds pause{100};
    Status status;
    for (int i = 0; i < tries; ++i) {
        if (i > 0) std::this_thread::sleep_for(pause);
        status = remote_.open(FileOpen{path_, mode, process::random_name(), true, true});
        if (status.code != Code::busy) return status;
    }
    status.text += ". Wait until that one has ended, or end it, and do this again: it goes on with what is there";
    return status;
}

void Service::digest_meanwhile(std::int64_t bytes) {
    constexpr std::int64_t step = 4 * piece_bytes;
    if (version_ >= version_of_growing_digests && bytes % step == 0) expect(remote_->call_later({FileFunction::digest, bytes}));
}

std::int64_t OpenFile::call(FileFunction function, std::int64_t value) {
    std::int64_t result = 0;
    expect(remote_.call(function, value, result));
    return result;
}

// The disk writes on while the digest is computed.
OpenFile::Whole OpenFile::make_durable(std::int64_t bytes) {
    const FileCall asked[] = {{FileFunction::digest, bytes}, {FileFunction::sync, 0}, {FileFunction::size, 0}};
    std::int64_t results[std::size(asked)] = {};
    expect(remote_.calls(asked, results));
    return {results[0], results[2]};
}

void OpenFile::rename(const std::string& to) {
    Status status = remote_.rename({path_, to, remote_.file()});
    if (status.code == Code::no_such_file) status.text += ". Somebody removed it while it was written: do this again";
    expect(status);
}

OpenFile::~OpenFile() {
    std::int64_t ignored = 0;
    (void)remote_.call(FileFunction::close, 0, ignored);
}

}  // namespace kumihimo::iod::errands
