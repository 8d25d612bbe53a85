#include "iod/process/stdio.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "iod/link/spawning.hpp"

namespace kumihimo::iod {

namespace {

constexpr std::size_t most_bytes = 256 << 10;

bool write_all(int to, const std::byte* from, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t moved = ::write(to, from, bytes);
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) return false;
        from += moved;
        bytes -= static_cast<std::size_t>(moved);
    }
    return true;
}

void carry(int from, int to) {
    std::vector<std::byte> buffer(most_bytes);
    for (;;) {
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || !write_all(to, buffer.data(), static_cast<std::size_t>(got))) return;
    }
}

std::thread& outward() {
    static std::thread thread;
    return thread;
}

void make_blocking(int descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
}

}  // namespace

base::Descriptor standard_streams() {
    link::Pair pair = link::socket_pair();
    const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (output < 0 || input < 0) link::cannot("standard input and output", errno);
    make_blocking(input), make_blocking(output);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const int socket = pair.theirs.release();
    std::thread([=] {
        carry(input, socket);
        shutdown(socket, SHUT_WR);
    }).detach();
    outward() = std::thread([=] {
        carry(socket, output);
        ::close(output);
    });
    return std::move(pair.ours);
}

void finish_standard_streams() {
    if (outward().joinable()) outward().join();
}

}  // namespace kumihimo::iod
