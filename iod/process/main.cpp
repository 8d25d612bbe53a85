// kumihimo-iod: descriptor 3 is connected to the rank that started it (iod/process/agent.hpp).
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "iod/process/agent.hpp"

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

}  // namespace

int main() {
    if (!is_socket(connection)) {
        std::fprintf(
            stderr, "kumihimo-iod serves files of MPI programs; libkumihimo_io starts it. There is nothing to call by hand.\n");
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
