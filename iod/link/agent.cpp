#include "iod/link/agent.hpp"

#include <algorithm>
#include <cstdio>

#include "base/format.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr std::size_t most_answers = 32 << 20;  // bytes that another machine has not taken

std::uint64_t features(bool with_compression) {
    const std::uint64_t known = feature_checksums | feature_staged_reads;
    return with_compression && Compressor::is_there() ? known | feature_compression : known;
}

}  // namespace

Agent::Agent(Lifetime lifetime, Openers openers) : openers_(std::move(openers)), lifetime_(lifetime) {
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

void Agent::serve(Ends&& starter, bool from_another_machine, std::uint64_t most_bytes) {
    const auto connection = take(std::move(starter), {Role::starter, 0, 0});
    budget_->bytes = most_bytes;
    if (from_another_machine) {
        connection->count_against(budget_);
        connection->leads_away();
        connection->only_answer(most_answers);
    }
    expect_greeting(connection);
}

Listeners& Agent::listeners() {
    if (!listeners_)
        listeners_ = std::make_unique<Listeners>(
            loop_, [this](base::Descriptor socket) { take_stranger(std::move(socket)); },
            [this] { return drop_oldest_stranger(); });
    return *listeners_;
}

std::shared_ptr<Connection> Agent::take(Ends ends, const Role& role) {
    auto connection = std::make_shared<Connection>(loop_, std::move(ends), role, *this);
    connections_.insert(connection);
    connection->begin();
    return connection;
}

void Agent::expect_greeting(const std::shared_ptr<Connection>& connection, std::chrono::seconds patience) {
    const auto timer = std::make_shared<asio::steady_timer>(loop_, patience);
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

void Agent::call(base::Descriptor socket, const Greeting& greeting, const Role& role, Connected connected) {
    const auto connection = take(std::move(socket), {Role::called, role.session, role.server});
    if (greeting.leads_away) connection->leads_away();
    connection->name = greeting.leads_away ? "what leads there" : "the agent that was connected to";
    calling_[connection.get()] = {role, features(greeting.compresses), std::move(connected)};
    connection->send({Type::hello, 0, 0, 0, 0, 0},
                     encode(Hello{greeting.lowest_version, newest_version, features(greeting.compresses), largest_frame,
                                  greeting.token, greeting.name}));
    expect_greeting(connection, greeting.patience);
}

void Agent::connect(const std::vector<std::string>& addresses, const Greeting& greeting, const Role& role,
                    Connected connected) {
    connect_to(loop_, addresses, [this, greeting, role, connected](base::Descriptor socket, const Status& status) {
        if (!socket) return connected(nullptr, status);
        call(std::move(socket), greeting, role, connected);
    });
}

void Agent::welcomed(Connection& connection, const Arrival& arrival) {
    if (arrival.header.type != Type::welcome) throw ProtocolError("an agent that does not answer a greeting");
    const Welcome welcome = decode<Welcome>(arrival.payload);
    if (welcome.version < oldest_version || welcome.version > newest_version)
        throw ProtocolError(fmt::format("it speaks version {} of the protocol, which nobody asked for", welcome.version));
    auto node = calling_.extract(&connection);
    const Calling& calling = node.mapped();
    connection.greeted = true;
    connection.version = welcome.version;
    connection.largest_payload = std::min(largest_frame, welcome.largest_frame);
    connection.role = calling.role;
    connection.name = welcome.name;
    if ((welcome.features & calling.features & feature_compression) != 0) connection.compress();
    calling.connected(connection.shared_from_this(), {});
}

// Who comes with a token is whom it was made for; who started this process needs none.
void Agent::greet(Connection& connection, const Arrival& arrival) {
    if (arrival.header.type != Type::hello) throw ProtocolError("a connection that does not begin with a greeting");
    const Hello hello = decode<Hello>(arrival.payload);
    const std::uint16_t version = common_version(hello);
    connection.name = hello.name;
    if (connection.role.kind != Role::starter) {
        const auto role = tokens_.take(hello.token);
        if (!role) throw ProtocolError("a greeting without a valid token");
        connection.role = *role;
        const auto session = sessions_.find(role->session);
        const bool welcome =
            !role->bound() || (session != sessions_.end() && session->second->add_child(connection.shared_from_this()));
        if (!welcome) throw ProtocolError("a connection that nobody expects");
        if (role->kind == Role::channel) {
            connection.only_answer(most_answers);
            connection.count_against(budget_);
            connection.count_against(std::make_shared<Budget>(Budget{"this channel", role->budget, 0, true}));
        }
    }
    const std::uint32_t largest = std::min(largest_frame, hello.largest_frame);
    const std::uint64_t both = hello.features & features(true);
    connection.send({Type::welcome, 0, 0, 0, arrival.header.request, 0},
                    encode(Welcome{version, both, largest, fmt::format("agent {}", ::getpid())}));
    if ((both & feature_compression) != 0) connection.compress();
    connection.greeted = true;
    connection.version = version;
    connection.largest_payload = largest;
}

// ---- frames ----

void Agent::arrived(Connection& connection, Arrival&& arrival) {
    if (arrival.header.type == Type::refuse) return refused(connection, arrival);
    if (calling_.contains(&connection)) return welcomed(connection, arrival);
    if (!connection.greeted) return greet(connection, arrival);
    spoke();
    const bool bound = connection.role.bound();
    if (!bound && open(connection, arrival)) return;
    const auto session = sessions_.find(bound ? connection.role.session : arrival.header.session);
    if (session != sessions_.end()) return session->second->arrived(connection, std::move(arrival));
    if (!bound) throw ProtocolError("a request about a file that is not open");
}

// The other side gives this connection up, and says why.
void Agent::refused(Connection& connection, const Arrival& arrival) {
    Status why = decode<Status>(arrival.payload);
    if (why.ok()) why = {Code::lost_process, connection.name + " refused to go on", ""};
    connection.close();
    ended(connection, why);
}

// False: the message opens nothing.
bool Agent::open(Connection& connection, const Arrival& arrival) {
    const auto opener = openers_.find(arrival.header.type);
    if (opener == openers_.end()) return false;
    const std::uint32_t number = ++last_session_;
    const auto service = opener->second(*this, number, connection.shared_from_this(), arrival);
    sessions_[number] = service;
    service->begin(arrival.header);
    return true;
}

// They are the asker's, and go with it.
void Agent::close_channels(const Status& why) {
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& channel : all) {
        if (channel->role.kind != Role::channel || !channel->is_open()) continue;
        channel->close();
        ended(*channel, why);
    }
}

void Agent::ended(Connection& connection, const Status& why) {
    const auto held = connection.shared_from_this();
    connections_.erase(held);
    if (connection.role.kind == Role::starter) close_channels(why);
    if (auto node = calling_.extract(&connection); !node.empty()) return node.mapped().connected(nullptr, why);
    for (const auto& [number, session] : sessions_) session->ended(connection, why);
}

}  // namespace kumihimo::iod::process
