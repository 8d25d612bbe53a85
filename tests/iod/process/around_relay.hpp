// A relay by itself, without processes and without time: the agent around it, and the ends of its connections.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <utility>
#include <vector>

#include "iod/link/relay.hpp"
#include "tests/iod/protocol/mutation.hpp"

namespace kumihimo::iod::test {

// A socket whose other end the test has.
struct Wire {
    explicit Wire(asio::io_context& loop, process::Peer& peer) {
        int sockets[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
        far_end = base::Descriptor(sockets[1]);
        connection =
            std::make_shared<process::Connection>(loop, process::Ends(base::Descriptor(sockets[0])), process::Role{}, peer);
    }
    std::shared_ptr<process::Connection> connection;
    base::Descriptor far_end;

    // What was sent so far.
    std::vector<Sent> heard() const {
        std::vector<Sent> all;
        HeaderBytes header;
        while (::recv(far_end.get(), header.data(), header.size(), MSG_DONTWAIT) == static_cast<ssize_t>(header.size())) {
            Sent one{decode_header(header, largest_frame), {}};
            one.payload.resize(one.header.length);
            if (!one.payload.empty()) {
                EXPECT_EQ(::recv(far_end.get(), one.payload.data(), one.payload.size(), MSG_WAITALL),
                          static_cast<ssize_t>(one.payload.size()));
            }
            all.push_back(std::move(one));
        }
        return all;
    }
};

// The agent around the relay, as far as it needs one: the other machine is there when it is called, so many times, and never
// again. Channels are made, too.
class Around : public process::Host, public process::Peer {
public:
    explicit Around(Route route = {{"true"}, "a foe", 1, 0, true}, std::size_t calls = 1) : client(loop_, *this), left_(calls) {
        relay = std::make_shared<process::Relay>(*this, 1, std::move(route), client.connection);
        relay->begin({Type::route, 0, 0, 0, 1, 0});
    }
    ~Around() override { relay->end(); }
    Wire& other() { return *others.back(); }  // the latest

    asio::io_context& loop() override { return loop_; }
    std::string local_address() override { return "nowhere"; }
    std::vector<std::string> addresses(const std::vector<std::string>&, bool) override { return {}; }
    Token token(const process::Role&) override { return {}; }
    void call(base::Descriptor, const process::Greeting&, const process::Role&, Connected connected) override {
        meet(connected);
    }
    void connect(const std::vector<std::string>&, const process::Greeting&, const process::Role&,
                 Connected connected) override {
        meet(connected);
    }
    void arrived(process::Connection&, process::Arrival&&) override {}
    void ended(process::Connection&, const Status&) override {}

    // As the agent does: who speaks wrong loses the connection.
    void comes(Wire& from, Sent frame) try {
        if (from.connection->is_open()) relay->arrived(*from.connection, {frame.header, std::move(frame.payload), {}});
    } catch (const ProtocolError&) {
        breaks(from);
    }
    void breaks(Wire& wire) {
        if (!wire.connection->is_open()) return;
        wire.connection->close();
        relay->ended(*wire.connection, {Code::bad_request, "it spoke wrong", ""});
    }

private:
    void meet(const Connected& connected) {
        if (left_ == 0) return connected(nullptr, {Code::lost_process, "nobody is there any more", ""});
        --left_;
        others.push_back(std::make_unique<Wire>(loop_, *this));
        other().connection->version = newest_version;
        connected(other().connection, {});
    }

    asio::io_context loop_{1};

public:
    Wire client;
    std::vector<std::unique_ptr<Wire>> others;
    std::shared_ptr<process::Relay> relay;

private:
    std::size_t left_;
};

}  // namespace kumihimo::iod::test
