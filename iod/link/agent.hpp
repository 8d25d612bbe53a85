// The loop of an I/O process: who is connected, who may connect, and which service each frame is for. It knows no file: what
// may be opened is given to it, as one function for each message that opens something (iod/process/agent.cpp has the table).
#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <set>

#include "iod/link/host.hpp"
#include "iod/link/lifetime.hpp"
#include "iod/link/listeners.hpp"
#include "iod/link/service.hpp"
#include "iod/link/tokens.hpp"

namespace kumihimo::iod::process {

// All connections of this process, what it serves over them, and the one loop that does it.
class Agent : public Peer, public Host {
public:
    Agent(Lifetime lifetime, Openers openers);
    // most_bytes: that whoever comes from another machine may have carried, by all connections.
    void serve(Ends&& starter, bool from_another_machine, std::uint64_t most_bytes = Budget::unlimited);
    void run();

    // ---- Host ----
    asio::io_context& loop() override { return loop_; }
    std::string local_address() override { return listeners().local_address(); }
    std::vector<std::string> addresses(const std::vector<std::string>& neighbours, bool loopback_only) override {
        return listeners().addresses(neighbours, loopback_only);
    }
    Token token(const Role& role) override { return tokens_.make(role); }
    void call(base::Descriptor socket, const Greeting& greeting, const Role& role, Connected connected) override;
    void connect(const std::vector<std::string>& addresses, const Greeting& greeting, const Role& role,
                 Connected connected) override;

    // ---- Peer ----
    void arrived(Connection& connection, Arrival&& arrival) override;
    void ended(Connection& connection, const Status& why) override;

private:
    static constexpr std::chrono::seconds greeting_time{10}, idle_time{60};

    struct Calling {  // connections of ours that wait for their welcome
        Role role;
        std::uint64_t features;  // offered
        Connected connected;
    };

    std::shared_ptr<Connection> take(Ends ends, const Role& role);
    void expect_greeting(const std::shared_ptr<Connection>& connection, std::chrono::seconds patience = greeting_time);
    Listeners& listeners();
    void take_stranger(base::Descriptor socket);
    bool drop_oldest_stranger();
    void greet(Connection& connection, const Arrival& arrival);
    void welcomed(Connection& connection, const Arrival& arrival);
    void close_channels(const Status& why);
    void refused(Connection& connection, const Arrival& arrival);
    bool open(Connection& connection, const Arrival& arrival);
    template <typename Step>
    static std::size_t guarded(Step&& step);
    bool work();
    void end_sessions();
    void wait();
    bool finished() const;
    void spoke() { last_word_ = std::chrono::steady_clock::now(); }
    void watch_idleness();

    asio::io_context loop_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{loop_.get_executor()};
    Tokens tokens_;
    const std::shared_ptr<Budget> budget_ = std::make_shared<Budget>(Budget{"this session"});
    std::unique_ptr<Listeners> listeners_;  // none until somebody asks where others reach this agent
    std::set<std::shared_ptr<Connection>> connections_;
    std::deque<std::weak_ptr<Connection>> strangers_;  // the oldest first; some are none any more
    std::map<Connection*, Calling> calling_;
    std::map<std::uint32_t, std::shared_ptr<Service>> sessions_;
    std::uint32_t last_session_ = 0;
    Openers openers_;
    Lifetime lifetime_;
    asio::steady_timer idle_{loop_};
    std::chrono::steady_clock::time_point last_word_ = std::chrono::steady_clock::now();
};

}  // namespace kumihimo::iod::process
