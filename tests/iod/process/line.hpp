// A plain blocking connection with an agent, written from docs/explanation/wire-protocol.md for tests: no code of iod/client or
// iod/process.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "iod/protocol/frame.hpp"
#include "iod/protocol/wire.hpp"

namespace kumihimo::iod::test {

class Line {
public:
    static constexpr int patience_ms = 20'000;  // with an answer: then the test has failed

    explicit Line(int socket) : socket_(socket) {}
    static Line local(const std::string& abstract_name);
    static Line tcp(const std::string& address);  // "127.0.0.1:port"
    Line(Line&& other) noexcept;
    ~Line();

    Welcome greet(const Token& token = {});
    std::uint64_t ask(Type type, std::uint32_t session, std::span<const std::byte> payload,
                      std::span<const int> descriptors = {});
    Payload answer(std::uint64_t request);  // throws std::runtime_error: closed, refused, or nothing in time
    template <typename Answer, typename Message>
    Answer call(Type type, std::uint32_t session, const Message& message, std::span<const int> descriptors = {}) {
        return decode<Answer>(answer(ask(type, session, encode(message), descriptors)));
    }
    void forget_answers() { early_.clear(); }  // that came, and nobody will wait for
    void send(std::span<const std::byte> bytes);
    bool closed_by_peer();  // reads until the end
    void close();
    int socket() const { return socket_; }
    const Status& told() const { return told_; }  // by a `failure` or `refuse`

private:
    void receive(std::span<std::byte> place);
    struct Frame {
        FrameHeader header;
        Payload payload;
    };
    Frame next();
    int socket_;
    std::uint64_t last_ = 0;
    std::deque<Frame> early_;
    Status told_;
};

}  // namespace kumihimo::iod::test
