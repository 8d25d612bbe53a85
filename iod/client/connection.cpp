#include "iod/client/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/progress.hpp"
#include "base/settings.hpp"

namespace kumihimo::iod {

namespace {

constexpr long long greeting_seconds = 10;  // docs/explanation/wire-protocol.md, "Beginning"
constexpr std::size_t most_descriptors = 3;
constexpr int shortest_pause_ms = 1, longest_pause_ms = 8;  // of a wait in which others may need this process's help

long long patience_seconds() {
    static base::FrequentNumber seconds("KUMIHIMO_TIMEOUT");
    return seconds.value();
}

int milliseconds_left(double seconds, std::chrono::steady_clock::time_point start) {
    if (seconds == 0) return -1;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return static_cast<int>(std::clamp(1000 * (seconds - passed.count()), 0.0, 1e9));
}

// What is left of the parts when some bytes are sent.
std::span<iovec> behind(std::span<iovec> parts, std::size_t sent) {
    while (!parts.empty() && sent >= parts.front().iov_len) {
        sent -= parts.front().iov_len;
        parts = parts.subspan(1);
    }
    if (parts.empty()) return parts;
    parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + sent;
    parts.front().iov_len -= sent;
    return parts;
}

iovec part_of(std::span<const std::byte> bytes) {
    return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

sockaddr_un abstract(const std::string& address) {
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::copy_n(address.data(), std::min(address.size(), sizeof name.sun_path - 1), name.sun_path + 1);
    return name;
}

}  // namespace

Connection Connection::to(const std::string& abstract_address, std::string peer) {
    Connection connection(base::Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), std::move(peer));
    const sockaddr_un name = abstract(abstract_address);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract_address.size());
    if (connect(connection.socket_.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0)
        connection.lose(Code::lost_process, fmt::format("cannot be reached: {}", base::errno_text(errno)));
    return connection;
}

// ---- waiting, and bytes ----

// The agent must hear of it, too: it may hold back others' requests for one of this rank.
void Connection::lose(Code code, const std::string& why) {
    lost_ = {code, fmt::format("{}: {}", peer_, why), {}};
    socket_ = base::Descriptor();
    throw ConnectionLost(lost_);
}

void Connection::check() const {
    if (!lost_.ok()) throw ConnectionLost(lost_);
}

// The events of the socket; 0: `event` was rung.
short Connection::wait(short events, const base::Descriptor* event) {
    const bool greeting = !greeted_;
    const double patience = greeting ? greeting_seconds : times_ * static_cast<double>(patience_seconds());
    const auto start = std::chrono::steady_clock::now();
    int pause = shortest_pause_ms;
    pollfd waits[] = {{socket_.get(), events, 0}, {event != nullptr ? event->get() : -1, POLLIN, 0}};
    for (;;) {
        base::progress();
        const int left = milliseconds_left(patience, start);
        const bool looks_again = base::must_poll() && (left < 0 || left > pause);
        const int ready = poll(waits, 2, looks_again ? pause : left);
        if (ready > 0) return waits[0].revents;
        if (looks_again) pause = std::min(2 * pause, longest_pause_ms);
        if (ready == 0 && !looks_again)
            lose(Code::timed_out, fmt::format("no answer within {} s{}", patience, greeting ? "" : " (KUMIHIMO_TIMEOUT)"));
        if (ready < 0 && errno != EINTR) lose(Code::lost_process, "poll: " + base::errno_text(errno));
    }
}

// Descriptors go with the first byte.
void Connection::send(Parts parts, std::span<const int> descriptors) {
    alignas(cmsghdr) char control[CMSG_SPACE(most_descriptors * sizeof(int))] = {};
    for (std::span<iovec> rest = parts; !(rest = behind(rest, 0)).empty();) {
        msghdr message = {};
        message.msg_iov = rest.data(), message.msg_iovlen = rest.size();
        if (!descriptors.empty()) {
            message.msg_control = control, message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
            cmsghdr* const rights = CMSG_FIRSTHDR(&message);
            rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS,
            rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
            std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
        }
        const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN) {
            wait(POLLOUT);
        } else if (sent >= 0) {
            rest = behind(rest, static_cast<std::size_t>(sent));
            descriptors = {};
        } else if (errno != EINTR) {
            const int error = errno;
            hear_farewell();
            lose(Code::lost_process, "it has ended, or the connection broke: " + base::errno_text(error));
        }
    }
}

// An agent that gives up says why before it closes the connection.
void Connection::hear_farewell() {
    for (pollfd arrived = {socket_.get(), POLLIN, 0}; poll(&arrived, 1, 0) > 0 && (arrived.revents & POLLIN) != 0;)
        take_unasked();
}

void Connection::receive(std::span<std::byte> to) {
    while (!to.empty()) {
        const ssize_t got = recv(socket_.get(), to.data(), to.size(), MSG_DONTWAIT);
        if (got > 0)
            to = to.subspan(static_cast<std::size_t>(got));
        else if (got == 0)
            lose(Code::lost_process, "it has ended, or the connection broke");
        else if (errno == EAGAIN)
            wait(POLLIN);
        else if (errno != EINTR)
            lose(Code::lost_process, "it has ended, or the connection broke: " + base::errno_text(errno));
    }
}

// ---- frames ----

Connection::Frame Connection::next_frame() {
    HeaderBytes bytes;
    receive(bytes);
    try {
        Frame frame{decode_header(bytes, largest_frame_), {}};
        frame.payload.resize(frame.header.length);
        receive(frame.payload);
        check_payload(bytes, frame.payload);
        return frame;
    } catch (const ProtocolError& error) {
        lose(Code::bad_request, error.what());
    } catch (const std::bad_alloc&) {
        lose(Code::out_of_memory, "no memory for what it sends");
    }
}

void Connection::post(const FrameHeader& header, std::span<const std::byte> payload, std::span<const std::byte> more,
                      std::span<const int> descriptors) {
    check();
    const HeaderBytes bytes = encode_header(header, payload, more);
    send({part_of(bytes), part_of(payload), part_of(more)}, descriptors);
}

void Connection::greet(const std::string& name, const Token& token) {
    Hello hello;
    hello.largest_frame = iod::largest_frame;
    hello.token = token;
    hello.name = name;
    post({.type = Type::hello}, encode(hello));
}

void Connection::welcomed(const Frame& frame) {
    if (frame.header.type != Type::welcome) lose(Code::bad_request, "answers a greeting with something else");
    greeted_ = true;
    largest_frame_ = std::min(decoded<Welcome>(frame.payload).largest_frame, iod::largest_frame);
}

void Connection::refused(const Status& why) {
    lose(why.ok() ? Code::lost_process : why.code, "refuses: " + why.text);
}

std::uint64_t Connection::request(Type type, std::uint32_t session, std::span<const std::byte> payload,
                                  std::span<const int> descriptors) {
    post({.type = type, .session = session, .request = ++last_request_}, payload, {}, descriptors);
    ++unanswered_;
    return last_request_;
}

std::uint64_t Connection::request_with(Type type, std::uint32_t session, std::span<const std::byte> payload,
                                       std::span<const std::byte> more) {
    post({.type = type, .session = session, .request = ++last_request_}, payload, more);
    ++unanswered_;
    return last_request_;
}

void Connection::tell(Type type, std::uint32_t session, std::span<const std::byte> payload) {
    post({.type = type, .session = session}, payload);
}

void Connection::take_unasked() {
    Frame frame = next_frame();
    if (frame.header.type == Type::refuse) refused(decoded<Status>(frame.payload));
    if (!greeted_) return welcomed(frame);
    if (frame.header.type == Type::failure) {
        if (frame.header.session == session_) failure_.keep_first(decoded<Status>(frame.payload));
    } else if (frame.header.answer() && unanswered_ > 0) {
        --unanswered_;
        early_.push_back(std::move(frame));
    } else {
        lose(Code::bad_request, "it sends what nobody asked for");
    }
}

Payload Connection::answer(std::uint64_t request, double times) {
    check();
    times_ = times;
    for (;;) {
        const auto found =
            std::find_if(early_.begin(), early_.end(), [&](const Frame& frame) { return frame.header.request == request; });
        if (found != early_.end()) {
            Payload payload = std::move(found->payload);
            early_.erase(found);
            return payload;
        }
        take_unasked();
    }
}

bool Connection::answered(std::uint64_t request) {
    listen();
    return std::ranges::any_of(early_, [&](const Frame& frame) { return frame.header.request == request; });
}

bool Connection::silent() const {
    pollfd arrived = {socket_.get(), POLLIN, 0};
    return lost_.ok() && failure_.ok() && poll(&arrived, 1, 0) == 0;
}

void Connection::listen() {
    check();
    for (pollfd arrived = {socket_.get(), POLLIN, 0}; poll(&arrived, 1, 0) > 0;) take_unasked();
}

void Connection::wait_for(const base::Descriptor& event) {
    check();
    times_ = 1;
    if (wait(POLLIN, &event) != 0) take_unasked();
}

}  // namespace kumihimo::iod
