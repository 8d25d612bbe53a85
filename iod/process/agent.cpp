#include "iod/process/agent.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstdio>
#include <deque>
#include <map>
#include <set>

#include "base/format.hpp"
#include "iod/process/listeners.hpp"
#include "iod/process/session.hpp"
#include "iod/process/tokens.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr std::chrono::seconds greeting_time{10}, idle_time{60};
constexpr std::uint64_t known_features = 3;  // checksums, staged reads

// All connections and sessions of this process, and the one loop that serves them.
class Agent : public Peer, public Host {
public:
    explicit Agent(Lifetime lifetime);
    void serve(base::Descriptor&& starter) { expect_greeting(take(std::move(starter), {Role::starter, 0, 0})); }
    void run();

    // ---- Host ----
    asio::io_context& loop() override { return loop_; }
    std::string local_address() const override { return listeners_.local_address(); }
    std::vector<std::string> addresses(const std::vector<std::string>& neighbours, bool loopback_only) override {
        return listeners_.addresses(neighbours, loopback_only);
    }
    Token token(const Role& role) override { return tokens_.make(role); }
    void connect(const Parent& parent, const Role& role, const std::string& name, Connected connected) override;

    // ---- Peer ----
    void arrived(Connection& connection, Arrival&& arrival) override;
    void ended(Connection& connection, const Status& why) override;

private:
    struct Calling {  // connections of ours that wait for their welcome
        Role role;
        Connected connected;
    };

    std::shared_ptr<Connection> take(base::Descriptor socket, const Role& role);
    void expect_greeting(const std::shared_ptr<Connection>& connection);
    void take_stranger(base::Descriptor socket);
    bool drop_oldest_stranger();
    void greet(Connection& connection, const Arrival& arrival);
    void welcomed(Connection& connection, const Arrival& arrival);
    void refused(Connection& connection, const Arrival& arrival);
    void open(Connection& connection, const Arrival& arrival);
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
    Listeners listeners_;
    std::set<std::shared_ptr<Connection>> connections_;
    std::deque<std::weak_ptr<Connection>> strangers_;  // the oldest first; some are none any more
    std::map<Connection*, Calling> calling_;
    std::map<std::uint32_t, std::shared_ptr<Session>> sessions_;
    std::uint32_t last_session_ = 0;
    Lifetime lifetime_;
    asio::steady_timer idle_{loop_};
    std::chrono::steady_clock::time_point last_word_ = std::chrono::steady_clock::now();
};

Agent::Agent(Lifetime lifetime)
    : listeners_(
          loop_, [this](base::Descriptor socket) { take_stranger(std::move(socket)); },
          [this] { return drop_oldest_stranger(); }),
      lifetime_(lifetime) {
    watch_idleness();
}

// ---- the loop ----

// One connection that cannot be served (no descriptors, no memory) is no reason to leave the others.
template <typename Step>
std::size_t Agent::guarded(Step&& step) try {
    return step();
} catch (const std::exception& error) {
    std::fprintf(stderr, "kumihimo-iod: %s\n", error.what());
    return 1;
}

void Agent::run() {
    while (!finished()) {
        const bool moved = work();
        end_sessions();
        std::erase_if(connections_, [](const auto& connection) { return !connection->is_open(); });
        if (guarded([&] { return loop_.poll(); }) == 0 && !moved && !finished()) wait();
    }
}

bool Agent::finished() const {
    const bool served = lifetime_ == Lifetime::of_its_files && last_session_ > 0;
    if (!sessions_.empty()) return false;
    return served ||
           std::ranges::all_of(connections_, [](const auto& connection) { return connection->role.kind == Role::stranger; });
}

bool Agent::work() {
    bool moved = false;
    for (const auto& [number, session] : sessions_) moved = session->work() || moved;
    return moved;
}

// Ranks wake a sleeping agent only; whoever wrote just before it slept is found by the last look.
void Agent::wait() {
    bool quiet = true;
    for (const auto& [number, session] : sessions_) quiet = session->sleep() && quiet;
    if (quiet) guarded([&] { return loop_.run_one(); });
    for (const auto& [number, session] : sessions_) session->wake();
}

void Agent::end_sessions() {
    for (auto entry = sessions_.begin(); entry != sessions_.end();) {
        if (!entry->second->over()) {
            ++entry;
            continue;
        }
        guarded([&] { return entry->second->end(), std::size_t{0}; });
        tokens_.forget(entry->first);
        entry = sessions_.erase(entry);
    }
}

void Agent::watch_idleness() {
    idle_.expires_at(last_word_ + idle_time);
    idle_.async_wait([this](const std::error_code& error) {
        if (error) return;
        if (sessions_.empty() && std::chrono::steady_clock::now() >= last_word_ + idle_time) {
            for (const auto& connection : connections_) connection->close();
            connections_.clear();
        }
        if (sessions_.size() > 0) spoke();  // files are open
        watch_idleness();
    });
}

// ---- connections ----

std::shared_ptr<Connection> Agent::take(base::Descriptor socket, const Role& role) {
    auto connection = std::make_shared<Connection>(loop_, std::move(socket), role, *this);
    connections_.insert(connection);
    connection->begin();
    return connection;
}

void Agent::expect_greeting(const std::shared_ptr<Connection>& connection) {
    const auto timer = std::make_shared<asio::steady_timer>(loop_, greeting_time);
    timer->async_wait([this, timer, weak = std::weak_ptr(connection)](const std::error_code&) {
        const auto late = weak.lock();
        if (!late || late->greeted || !late->is_open()) return;
        late->close();
        ended(*late, {Code::timed_out, late->name + " did not greet in time", ""});
    });
}

// As many as are expected, and some: whoever has a token greets at once, so the oldest is the one that has none.
void Agent::take_stranger(base::Descriptor socket) {
    const auto connection = take(std::move(socket), {});
    expect_greeting(connection);
    strangers_.push_back(connection);
    if (strangers_.size() <= limit::strangers + tokens_.expected()) return;
    std::erase_if(strangers_, [](const auto& weak) {
        const auto held = weak.lock();
        return !held || held->greeted || !held->is_open();
    });
    if (strangers_.size() > limit::strangers + tokens_.expected()) drop_oldest_stranger();
}

bool Agent::drop_oldest_stranger() {
    while (!strangers_.empty()) {
        const auto oldest = strangers_.front().lock();
        strangers_.pop_front();
        if (!oldest || oldest->greeted || !oldest->is_open()) continue;
        oldest->close();
        ended(*oldest, {Code::timed_out, oldest->name + " did not greet in time", ""});  // or it would be kept
        return true;
    }
    return false;
}

void Agent::connect(const Parent& parent, const Role& role, const std::string& name, Connected connected) {
    connect_to(
        loop_, parent.addresses,
        [this, role, name, token = parent.token, connected](base::Descriptor socket, const Status& status) {
            if (!socket) return connected(nullptr, status);
            const auto connection = take(std::move(socket), {Role::called, role.session, role.server});
            connection->name = "the agent that was connected to";
            calling_[connection.get()] = {role, connected};
            connection->send({Type::hello, 0, 0, 0, 0, 0}, encode(Hello{1, 1, known_features, largest_frame, token, name}));
            expect_greeting(connection);
        });
}

void Agent::welcomed(Connection& connection, const Arrival& arrival) {
    if (arrival.header.type != Type::welcome) throw ProtocolError("an agent that does not answer a greeting");
    const Welcome welcome = decode<Welcome>(arrival.payload);
    auto node = calling_.extract(&connection);
    const Calling& calling = node.mapped();
    connection.greeted = true;
    connection.largest_payload = std::min(largest_frame, welcome.largest_frame);
    connection.role = calling.role;
    connection.name = welcome.name;
    calling.connected(connection.shared_from_this(), {});
}

// Who comes with a token is whom it was made for; who started this process needs none.
void Agent::greet(Connection& connection, const Arrival& arrival) {
    if (arrival.header.type != Type::hello) throw ProtocolError("a connection that does not begin with a greeting");
    const Hello hello = decode<Hello>(arrival.payload);
    if (hello.lowest_version > 1 || hello.highest_version < 1) throw ProtocolError("no common version of the protocol");
    connection.name = hello.name;
    if (connection.role.kind != Role::starter) {
        const auto role = tokens_.take(hello.token);
        if (!role) throw ProtocolError("a greeting without a valid token");
        connection.role = *role;
        const auto session = sessions_.find(role->session);
        const bool welcome = role->kind != Role::child ||
                             (session != sessions_.end() && session->second->add_child(connection.shared_from_this()));
        if (!welcome) throw ProtocolError("an agent that nobody expects");
    }
    const std::uint32_t largest = std::min(largest_frame, hello.largest_frame);
    connection.send({Type::welcome, 0, 0, 0, arrival.header.request, 0},
                    encode(Welcome{1, hello.features & known_features, largest, fmt::format("agent {}", ::getpid())}));
    connection.greeted = true;
    connection.largest_payload = largest;
}

// ---- frames ----

void Agent::arrived(Connection& connection, Arrival&& arrival) {
    if (arrival.header.type == Type::refuse) return refused(connection, arrival);
    if (calling_.contains(&connection)) return welcomed(connection, arrival);
    if (!connection.greeted) return greet(connection, arrival);
    spoke();
    const bool agents = connection.role.kind == Role::child || connection.role.kind == Role::parent;
    if (!agents && arrival.header.type == Type::open) return open(connection, arrival);
    const auto session = sessions_.find(agents ? connection.role.session : arrival.header.session);
    if (session != sessions_.end()) return session->second->arrived(connection, std::move(arrival));
    if (!agents) throw ProtocolError("a request about a file that is not open");
}

// The other side gives this connection up, and says why.
void Agent::refused(Connection& connection, const Arrival& arrival) {
    Status why = decode<Status>(arrival.payload);
    if (why.ok()) why = {Code::lost_process, connection.name + " refused to go on", ""};
    connection.close();
    ended(connection, why);
}

void Agent::open(Connection& connection, const Arrival& arrival) {
    const Open open = decode<Open>(arrival.payload);
    const std::uint32_t number = ++last_session_;
    const auto session = std::make_shared<Session>(*this, number, open, connection.shared_from_this());
    sessions_[number] = session;
    session->begin(arrival.header);
}

void Agent::ended(Connection& connection, const Status& why) {
    const auto held = connection.shared_from_this();
    connections_.erase(held);
    if (auto node = calling_.extract(&connection); !node.empty()) return node.mapped().connected(nullptr, why);
    for (const auto& [number, session] : sessions_) session->ended(connection, why);
}

}  // namespace
}  // namespace kumihimo::iod::process

namespace kumihimo::iod {

namespace {

// To whoever waits for a welcome; there is nobody else yet.
void refuse(const base::Descriptor& starter, const std::exception& error) try {
    const Payload why = encode(Status::of_exception(error, "the I/O process cannot begin"));
    const HeaderBytes header = encode_header({Type::refuse, 0, 0, 0, 0, 0}, why);
    Payload frame(header.begin(), header.end());
    frame.insert(frame.end(), why.begin(), why.end());
    [[maybe_unused]] const auto sent = ::send(starter.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
} catch (const std::exception&) {  // then the end of the connection must say it
}

}  // namespace

// Signals are the business of the process's other threads, if it has any; a file that grows too large is an error, not a
// signal.
void run_agent(int connection, Lifetime lifetime) noexcept {
    sigset_t all, before;
    sigfillset(&all);
    for (const int deadly : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGHUP}) sigdelset(&all, deadly);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    base::Descriptor starter(connection);
    try {
        process::Agent agent(lifetime);
        agent.serve(std::move(starter));
        agent.run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kumihimo-iod: %s\n", error.what());
        if (starter) refuse(starter, error);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace kumihimo::iod
