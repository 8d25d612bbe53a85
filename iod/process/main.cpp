// kumihimo-iod: descriptor 3 is connected to the rank that started it (iod/process/agent.hpp). With --stdio it serves the files
// of this machine to another one (the engine stampi): ssh starts it so. With --router it is a gateway's part in the way there.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "base/settings.hpp"
#include "iod/link/router.hpp"
#include "iod/process/agent.hpp"
#include "iod/process/stdio.hpp"

namespace {

constexpr int connection = 3;

bool is_socket(int descriptor) {
    int type = 0;
    socklen_t length = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

// Pipes and sockets of the starter would live as long as this process, and others wait for their end.
void close_others() {
    const long most = sysconf(_SC_OPEN_MAX);
    if (close_range(connection + 1, ~0u, 0) != 0)
        for (int descriptor = connection + 1; descriptor < most; ++descriptor) ::close(descriptor);
}

// Each agent and each rank is one: as many as may be.
void allow_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// The starter's launcher bound it to few processors, or one.
void forget_binding() {
    cpu_set_t all;
    std::memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
}

constexpr const char* usage =
    "kumihimo-iod serves files of MPI programs; libkumihimo_io starts it. By hand, or by ssh from another machine:\n"
    "    kumihimo-iod --stdio [--root DIRECTORY] [--allow RIGHTS] [--read-only] [--largest-file BYTES] [--most-bytes BYTES]\n"
    "                 [--no-channels]\n"
    "serves the files below DIRECTORY (default /) on standard input and output, for names as stampi://HOST/PATH.\n"
    "RIGHTS: some of read,write,create,delete (default all); --read-only is --allow read. BYTES: digits, with k, M or G.\n"
    "--no-channels: nothing listens, also if the other machine asks for connections beside that by ssh.\n"
    "    kumihimo-iod --router HOST PORT\n"
    "on a gateway passes standard input and output on to that port of the machine behind it.\n";

struct Arguments {
    bool stdio = false, wrong = false, channels = true;
    std::string root = "/";
    kumihimo::iod::process::Rights rights;
    std::optional<long long> largest_file, most_bytes;
};

// None: a word that is no right.
std::optional<kumihimo::iod::process::Rights> rights_in(const std::string& words) {
    kumihimo::iod::process::Rights rights{false, false, false, false};
    std::istringstream stream(words);
    for (std::string word; std::getline(stream, word, ',');) {
        const std::pair<const char*, bool*> known[] = {
            {"read", &rights.read}, {"write", &rights.write}, {"create", &rights.create}, {"delete", &rights.remove}};
        const auto found = std::ranges::find(known, word, [](const auto& one) { return std::string(one.first); });
        if (found == std::end(known)) return std::nullopt;
        *found->second = true;
    }
    return rights;
}

Arguments read_arguments(int count, char** words) {
    Arguments arguments;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--stdio")
            arguments.stdio = true;
        else if (word == "--read-only")
            arguments.rights = {true, false, false, false};
        else if (word == "--no-channels")
            arguments.channels = false;
        else if (word == "--root" && i + 1 < count)
            arguments.root = words[++i];
        else if (const auto rights = word == "--allow" && i + 1 < count ? rights_in(words[i + 1]) : std::nullopt) {
            arguments.rights = *rights;
            ++i;
        } else if (word == "--largest-file" && i + 1 < count && kumihimo::base::number_in(words[i + 1]))
            arguments.largest_file = kumihimo::base::number_in(words[++i]);
        else if (word == "--most-bytes" && i + 1 < count && kumihimo::base::number_in(words[i + 1]))
            arguments.most_bytes = kumihimo::base::number_in(words[++i]);
        else
            arguments.wrong = true;
    }
    arguments.rights.channels = arguments.channels;
    if (arguments.most_bytes) arguments.rights.bytes = static_cast<std::uint64_t>(*arguments.most_bytes);
    return arguments;
}

// Of any file that grows, whoever asks for it: an error of the write.
void limit_files(long long bytes) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(bytes));
    limit.rlim_max = limit.rlim_cur;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::system_error(errno, std::generic_category(), "--largest-file");
}

int serve_stdio(const Arguments& arguments) try {
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (arguments.largest_file) limit_files(*arguments.largest_file);
    const auto root = std::make_shared<const kumihimo::iod::process::Root>(arguments.root, arguments.rights);
    if (chdir("/") != 0) std::fprintf(stderr, "kumihimo-iod: cannot leave the directory it was started in\n");
    kumihimo::iod::run_file_agent(kumihimo::iod::standard_streams(), root);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "kumihimo-iod: %s\n", error.what());
    return 1;
}

int serve_as_router(const char* host, const char* port) try {
    signal(SIGPIPE, SIG_IGN);
    kumihimo::iod::link::pass_on(STDIN_FILENO, STDOUT_FILENO, host, port);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "kumihimo-iod: %s\n", error.what());
    return 1;
}

}  // namespace

int main(int count, char** words) {
    if (count == 4 && words[1] == std::string("--router")) return serve_as_router(words[2], words[3]);
    const Arguments arguments = read_arguments(count, words);
    if (arguments.stdio && !arguments.wrong) return serve_stdio(arguments);
    if (count > 1 || !is_socket(connection)) {
        std::fputs(usage, stderr);
        return 2;
    }
    close_others();
    if (const pid_t child = fork(); child != 0) {  // the starter waits for this one only, and learns why there is no other
        const int error = child < 0 ? errno : 0;
        if (error != 0) std::fprintf(stderr, "kumihimo-iod: fork: %s\n", std::strerror(error));
        _exit(error);
    }
    setsid();
    fcntl(connection, F_SETFD, FD_CLOEXEC);
    signal(SIGXFSZ, SIG_IGN);  // a file too large is an error of its write
    allow_descriptors();
    forget_binding();
    // It stays between files: no directory is kept from being removed or unmounted by it.
    if (chdir("/") != 0) std::fprintf(stderr, "kumihimo-iod: cannot leave the directory it was started in\n");
    kumihimo::iod::run_agent(connection, kumihimo::iod::Lifetime::of_its_connections);
}
