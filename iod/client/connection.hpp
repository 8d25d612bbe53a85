// A rank's connection with the agent of its host: requests go out, the caller waits for the answers
// (docs/explanation/wire-protocol.md, "Transport"). Waits end with the connection, at once if the agent dies, and after
// KUMIHIMO_TIMEOUT if it is set.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>

#include "base/descriptor.hpp"
#include "iod/protocol/frame.hpp"

namespace kumihimo::iod {

// Why a connection cannot go on.
class ConnectionLost : public std::runtime_error {
public:
    explicit ConnectionLost(Status status) : std::runtime_error(status.text), status_(std::move(status)) {}
    const Status& status() const { return status_; }

private:
    Status status_;
};

// All functions throw ConnectionLost, and then throw the same for ever.
class Connection {
public:
    // `peer`: whom messages name, and where it left word: "I/O process of host 2 (its log: /tmp/...)".
    Connection(base::Descriptor socket, std::string peer) : socket_(std::move(socket)), peer_(std::move(peer)) {}
    static Connection to(const std::string& abstract_address, std::string peer);
    void name_peer(std::string peer) { peer_ = std::move(peer); }

    // First of all. No token is needed where the socket was inherited. Requests may follow at once: the first answer that is
    // waited for tells whether the agent agreed.
    void greet(const std::string& name, const Token& token = {});
    // Failures of which session concern this rank from now on.
    void follow(std::uint32_t session) { session_ = session; }
    bool silent() const;  // the agent is there and has nothing to say

    // Asks, and later takes the answer, in any order. Descriptors travel with the request.
    std::uint64_t request(Type type, std::uint32_t session, std::span<const std::byte> payload,
                          std::span<const int> descriptors = {});
    // The same with bytes behind the payload, which are sent from where they are.
    std::uint64_t request_with(Type type, std::uint32_t session, std::span<const std::byte> payload,
                               std::span<const std::byte> more);
    // `times`: how many times KUMIHIMO_TIMEOUT it may take.
    Payload answer(std::uint64_t request, double times = 1);
    template <typename Answer, typename Message>
    Answer ask(Type type, std::uint32_t session, const Message& message, std::span<const int> descriptors = {},
               double times = 1) {
        return decoded<Answer>(answer(request(type, session, encode(message), descriptors), times));
    }
    bool answered(std::uint64_t request);                                             // its answer would not be waited for
    void tell(Type type, std::uint32_t session, std::span<const std::byte> payload);  // wants no answer

    // Waits until `event` is rung or the agent has something to say. Failures that it tells unasked are kept.
    void wait_for(const base::Descriptor& event);
    void listen();                                      // the same for what it has said already
    const Status& failure() const { return failure_; }  // of the session, as the agent told it

private:
    struct Frame {
        FrameHeader header;
        Payload payload;
    };
    template <typename Message>
    Message decoded(const Payload& payload) {
        try {
            return decode<Message>(payload);
        } catch (const ProtocolError& error) {
            lose(Code::bad_request, error.what());
        }
    }
    [[noreturn]] void lose(Code code, const std::string& why);
    void check() const;  // throws if the connection is lost already
    short wait(short events, const base::Descriptor* event = nullptr);
    using Parts = std::array<iovec, 3>;
    void send(Parts parts, std::span<const int> descriptors);
    void hear_farewell();
    void receive(std::span<std::byte> to);
    Frame next_frame();
    void take_unasked();  // the next frame
    void welcomed(const Frame& frame);
    [[noreturn]] void refused(const Status& why);
    void post(const FrameHeader& header, std::span<const std::byte> payload, std::span<const std::byte> more = {},
              std::span<const int> descriptors = {});

    base::Descriptor socket_;
    std::string peer_;
    bool greeted_ = false;  // the agent has agreed
    std::uint32_t largest_frame_ = largest_hello;
    double times_ = 1;
    std::uint32_t session_ = 0;
    std::uint64_t last_request_ = 0, unanswered_ = 0;
    std::deque<Frame> early_;  // answers to requests that nobody has waited for yet
    Status failure_, lost_;
};

}  // namespace kumihimo::iod
