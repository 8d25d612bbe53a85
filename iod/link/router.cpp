#include "iod/link/router.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"
#include "iod/link/spawning.hpp"

namespace kumihimo::iod::link {

namespace {

constexpr std::size_t most_held = 4 << 20;                             // of each direction
constexpr timeval patience{20, 0};                                     // for a connection
constexpr int quiet_seconds = 10, probes = 3, silence_ms = 30 * 1000;  // then the other side is gone

void set(int socket, int level, int option, int value) {
    (void)::setsockopt(socket, level, option, &value, sizeof value);
}

// An interactive ssh sends small packets, which must not wait for each other; and a machine that is gone must be noticed.
void prepare(int socket) {
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, quiet_seconds);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, quiet_seconds);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, probes);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, silence_ms);
    const timeval no_limit{};
    (void)::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &no_limit, sizeof no_limit);
}

std::string place(const std::string& host, const std::string& port) {
    return fmt::format("port {} of {} from this gateway", port, host);
}

base::Descriptor connected(const std::string& host, const std::string& port) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0)
        throw base::Error(fmt::format("cannot reach {}: {}", place(host, port), ::gai_strerror(error)));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
    int error = EHOSTUNREACH;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        base::Descriptor socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
        if (!socket) continue;
        (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);  // a connect, too
        if (::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0) return socket;
        error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    }
    cannot(fmt::format("cannot reach {}", place(host, port)), error);
}

// One direction, with what was read and not yet written.
class Flow {
public:
    Flow(int from, int to) : from_(from), to_(to), buffer_(most_held) {}

    bool over() const { return ended_ && begin_ == end_; }
    pollfd reading() const { return {!ended_ && end_ < buffer_.size() ? from_ : -1, POLLIN, 0}; }
    pollfd writing() const { return {begin_ < end_ ? to_ : -1, POLLOUT, 0}; }

    void read() {
        const ssize_t got = ::read(from_, buffer_.data() + end_, buffer_.size() - end_);
        if (got > 0) end_ += static_cast<std::size_t>(got);
        ended_ = ended_ || got == 0 || (got < 0 && !is_passing());
    }
    void write() {
        const ssize_t put = ::write(to_, buffer_.data() + begin_, end_ - begin_);
        if (put > 0) begin_ += static_cast<std::size_t>(put);
        if (put < 0 && !is_passing()) {  // nobody takes it
            ended_ = true;
            begin_ = end_;
        }
        if (begin_ == end_) begin_ = end_ = 0;
    }

private:
    static bool is_passing() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

    int from_, to_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    bool ended_ = false;
};

void wait_and_move(std::array<Flow, 2>& flows) {
    std::array<pollfd, 4> waits = {flows[0].reading(), flows[0].writing(), flows[1].reading(), flows[1].writing()};
    if (::poll(waits.data(), waits.size(), -1) < 0) return;  // a signal
    for (std::size_t i = 0; i < flows.size(); ++i) {
        if (waits[2 * i].revents != 0) flows[i].read();
        if (waits[2 * i + 1].revents != 0) flows[i].write();
    }
}

}  // namespace

void pass_on(int in, int out, const std::string& host, const std::string& port) {
    const base::Descriptor socket = connected(host, port);
    prepare(socket.get());
    for (const int descriptor : {in, out, socket.get()})
        ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    std::array<Flow, 2> flows = {Flow(in, socket.get()), Flow(socket.get(), out)};
    auto& [there, back] = flows;
    for (bool told = false; !back.over();) {
        wait_and_move(flows);
        if (there.over() && !told) told = ::shutdown(socket.get(), SHUT_WR) == 0 || errno == ENOTCONN;
    }
}

}  // namespace kumihimo::iod::link
