#include "tests/iod/process/line.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace kumihimo::iod::test {

Line Line::local(const std::string& abstract_name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, abstract_name.data(), abstract_name.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract_name.size());
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), length) != 0) throw std::runtime_error("connect");
    return Line(socket);
}

Line Line::tcp(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1))));
    inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr);
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("connect");
    return Line(socket);
}

Line::Line(Line&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), last_(other.last_), early_(std::move(other.early_)), told_(other.told_) {}

Line::~Line() {
    close();
}

void Line::close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
}

void Line::send(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0) throw std::runtime_error("the agent closed the connection (send)");
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
}

void Line::receive(std::span<std::byte> place) {
    while (!place.empty()) {
        pollfd state{socket_, POLLIN, 0};
        if (poll(&state, 1, patience_ms) != 1) throw std::runtime_error("no answer in time");
        const ssize_t got = ::recv(socket_, place.data(), place.size(), 0);
        if (got <= 0) throw std::runtime_error("the agent closed the connection");
        place = place.subspan(static_cast<std::size_t>(got));
    }
}

bool Line::closed_by_peer() {
    try {
        for (;;) next();
    } catch (const std::runtime_error& error) {
        return std::string(error.what()).find("closed") != std::string::npos;
    }
}

Line::Frame Line::next() {
    HeaderBytes header;
    receive(header);
    Frame frame{decode_header(header, largest_frame), {}};
    frame.payload.resize(frame.header.length);
    receive(frame.payload);
    check_payload(header, frame.payload);
    if (frame.header.type == Type::failure || frame.header.type == Type::refuse) told_ = decode<Status>(frame.payload);
    return frame;
}

Welcome Line::greet(const Token& token) {
    const Payload hello = encode(Hello{1, 1, 3, largest_frame, token, "a test"});
    send(encode_header({Type::hello, 0, 0, 0, 0, 0}, hello));
    send(hello);
    const Frame frame = next();
    if (frame.header.type != Type::welcome) throw std::runtime_error("refused: " + told_.text);
    return decode<Welcome>(frame.payload);
}

std::uint64_t Line::ask(Type type, std::uint32_t session, std::span<const std::byte> payload,
                        std::span<const int> descriptors) {
    const HeaderBytes header = encode_header({type, 0, session, 0, ++last_, 0}, payload);
    iovec piece{const_cast<std::byte*>(header.data()), header.size()};
    alignas(cmsghdr) std::array<char, 64> control{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* const part = CMSG_FIRSTHDR(&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
    }
    if (sendmsg(socket_, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(header.size()))
        throw std::runtime_error("the agent closed the connection (send)");
    send(payload);
    return last_;
}

Payload Line::answer(std::uint64_t request) {
    for (auto frame = early_.begin(); frame != early_.end(); ++frame) {
        if (frame->header.request != request) continue;
        Payload payload = std::move(frame->payload);
        early_.erase(frame);
        return payload;
    }
    for (;;) {
        Frame frame = next();
        if (!frame.header.answer()) continue;
        if (frame.header.request == request) return std::move(frame.payload);
        early_.push_back(std::move(frame));
    }
}

}  // namespace kumihimo::iod::test
