#include "iod/link/starter.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "iod/link/spawning.hpp"

namespace kumihimo::iod {

namespace {

using base::Descriptor;
using link::Actions;
using link::cannot;
using link::Pair;
namespace fs = std::filesystem;

constexpr int agent_descriptor = 3;
constexpr const char* advice = "Name the program in KUMIHIMO_IOD, or let a thread do its work: KUMIHIMO_IOD=thread.";

// Beside the library that this code is in: lib/kumihimo/<family>/libkumihimo_io.so and lib/kumihimo/kumihimo-iod.
std::string beside_this() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&link::start), &info) == 0 || info.dli_fname == nullptr) return {};
    std::error_code ignored;
    const fs::path directory = fs::canonical(info.dli_fname, ignored).parent_path();
    for (const fs::path& candidate : {directory / "kumihimo-iod", directory.parent_path() / "kumihimo-iod"})
        if (fs::exists(candidate, ignored)) return candidate.string();
    return {};
}

std::string program_to_start(const std::string& given) {
    if (!given.empty()) return given;
    const std::string set = base::setting("KUMIHIMO_IOD");
    if (!set.empty()) return set;
    const std::string found = beside_this();
    return found.empty() ? "kumihimo-iod" : found;
}

// Its own end must not be descriptor 3 already: duplicating a descriptor to itself would leave it to be closed.
Descriptor away_from_agent_descriptor(Descriptor socket) {
    if (socket.get() > agent_descriptor) return socket;
    Descriptor away(fcntl(socket.get(), F_DUPFD_CLOEXEC, agent_descriptor + 1));
    if (!away) cannot("cannot make a socket for the I/O process", errno);
    return away;
}

// How the started process ended, if not as it should.
std::string describe_end(int status) {
    if (WIFSIGNALED(status)) return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("ended with exit status {} before it served anybody", WEXITSTATUS(status));
}

// The started process leaves a child of its own behind and ends; 0: it did. Otherwise why it could not.
int spawn(const std::string& program, const std::string& log, int socket) {
    Actions actions;
    const char* const output = log.empty() ? "/dev/null" : log.c_str();
    actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
    actions.open(STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND);
    actions.duplicate(STDOUT_FILENO, STDERR_FILENO);
    actions.duplicate(socket, agent_descriptor);
    std::string name = "kumihimo-iod";
    std::array<char*, 2> arguments = {name.data(), nullptr};
    pid_t process = 0;
    if (const int error =
            posix_spawnp(&process, program.c_str(), actions.get(), nullptr, arguments.data(), link::environment().data()))
        return error;
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return errno == ECHILD ? 0 : errno;  // a program may ignore SIGCHLD: then nobody can tell
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 0 || code == EAGAIN || code == ENOMEM) return code;  // it tells by its errno that it could have no child
    throw base::Error(fmt::format("the I/O process '{}' {}", program, describe_end(status)), advice);
}

// A program that the system would start, if it started any. Names without a directory are looked for in PATH, by the system.
bool may_be_run(const std::string& program) {
    return program.find('/') == std::string::npos || (::access(program.c_str(), X_OK) == 0 && !fs::is_directory(program));
}

class AgentThread : public Started {
public:
    AgentThread(Descriptor& socket, void (*serve)(int)) : thread_(serve, socket.get()) { socket.release(); }
    ~AgentThread() override { thread_.join(); }
    bool is_thread() const override { return true; }

private:
    std::thread thread_;
};

StartedAgent as_thread(Pair pair, void (*serve)(int), const std::string& instead_of) {
    try {
        auto thread = std::make_unique<AgentThread>(pair.theirs, serve);
        return {pair.ours.release(), {}, std::move(thread)};
    } catch (const std::system_error& error) {
        cannot(fmt::format("cannot start {}a thread for the I/O process", instead_of), error.code().value());
    }
}

}  // namespace

StartedAgent link::start(const std::string& given, void (*serve)(int connection)) {
    Pair pair = link::socket_pair();
    const std::string program = program_to_start(given);
    if (program == "thread") return as_thread(std::move(pair), serve, {});
    const std::string log = base::setting("KUMIHIMO_IOD_LOG");
    pair.theirs = away_from_agent_descriptor(std::move(pair.theirs));
    const int error = spawn(program, log, pair.theirs.get());
    if (error == 0) return {pair.ours.release(), log, std::make_unique<Started>()};
    const bool not_allowed = error == EPERM || error == EACCES || error == EAGAIN || error == ENOMEM;
    if (not_allowed && may_be_run(program)) return as_thread(std::move(pair), serve, fmt::format("'{}', nor ", program));
    cannot(fmt::format("cannot start the I/O process '{}'", program), error, advice);
}

}  // namespace kumihimo::iod
