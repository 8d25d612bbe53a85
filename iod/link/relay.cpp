#include "iod/link/relay.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::iod::process {

Relay::Relay(Host& host, std::uint32_t number, Route route, std::shared_ptr<Connection> opener)
    : host_(host), number_(number), route_(std::move(route)), opener_(std::move(opener)) {}

// ---- reaching the other side ----

void Relay::begin(const FrameHeader& request) {
    opening_ = request;
    opener_->role = {Role::client, number_, 0};
    clients_.insert(opener_);
    try {
        command_ = std::make_unique<link::Command>(route_.command);
    } catch (const base::Error& error) {
        return reached(nullptr, {Code::not_supported, error.what(), ""});
    }
    const Greeting greeting{
        fmt::format("a relay to {}", route_.host), {}, version_of_files, std::chrono::seconds(route_.patience), true};
    host_.call(command_->take_socket(), greeting, {Role::parent, number_, 0},
               [weak = weak_from_this()](const std::shared_ptr<Connection>& other, const Status& status) {
                   if (const auto relay = weak.lock()) relay->reached(other, status);
               });
}

// ssh says on standard error why it ended: that is more than that it did.
Status Relay::explained(const Status& why) const {
    const std::string complaint = command_ ? command_->complaint() : "";
    return {why.code == Code::ok ? Code::lost_process : why.code,
            fmt::format("the connection with {} is lost: {}{}{}", route_.host, why.text,
                        complaint.empty() ? "" : ". It said: ", complaint),
            why.errno_name};
}

void Relay::reached(const std::shared_ptr<Connection>& other, const Status& status) {
    ready_ = true;
    other_ = other;
    if (other_) return answer_opening({});
    const std::string complaint = command_ ? command_->complaint() : "";
    answer_opening({status.code,
                    fmt::format("{} cannot be reached: {}{}{}", route_.host, status.text,
                                complaint.empty() ? "" : ". It said: ", complaint),
                    status.errno_name});
}

void Relay::answer_opening(const Status& status) {
    Routed routed;
    routed.status = status;
    if (status.ok()) {
        routed.version = other_->version;
        missing_ = route_.ranks - 1;
        if (missing_ > 0) routed.local_address = host_.local_address();
        for (std::uint32_t rank = 0; rank < missing_; ++rank)
            routed.rank_tokens.push_back(host_.token({Role::client, number_, 0}));
    } else {
        lost_ = status;
        clients_.erase(opener_);
    }
    opener_->answer(opening_, encode(routed));
}

bool Relay::add_child(const std::shared_ptr<Connection>& client) {
    if (missing_ == 0 || !lost_.ok()) return false;
    --missing_;
    clients_.insert(client);
    return true;
}

// ---- frames ----

void Relay::arrived(Connection& connection, Arrival&& arrival) {
    if (&connection == other_.get()) return from_other(std::move(arrival));
    from_client(connection, std::move(arrival));
}

void Relay::from_client(Connection& client, Arrival&& arrival) {
    if (arrival.header.type == Type::leave) {
        client.answer(arrival.header, encode(Status{}));
        return remove(client);
    }
    if (!lost_.ok()) return client.refuse(lost_);
    if (!ready_) throw ProtocolError("a request before the other machine was reached");
    if (arrival.header.request == 0 || arrival.header.answer()) throw ProtocolError("a frame that asks for nothing");
    FrameHeader header = arrival.header;
    header.request = ++last_request_;
    header.flags = 0;
    under_way_[last_request_] = {client.weak_from_this(), arrival.header.request};
    other_->send(header, std::move(arrival.payload));
    if (other_->queued_bytes() > most_queued) client.pause();
}

void Relay::from_other(Arrival&& arrival) {
    const auto asked = under_way_.extract(arrival.header.request);
    if (asked.empty() || !arrival.header.answer()) throw ProtocolError("an answer that nobody asked for");
    const auto client = asked.mapped().by.lock();
    if (!client) return;
    FrameHeader header = arrival.header;
    header.request = asked.mapped().request;
    header.flags = flag_answer;
    client->send(header, std::move(arrival.payload));
    if (client->queued_bytes() > most_unread) throw ProtocolError("more answers than anybody asked for");
}

bool Relay::work() {
    if (!other_ || other_->queued_bytes() > most_queued / 2) return false;
    for (const auto& client : clients_) client->resume();
    return false;
}

// ---- ends ----

void Relay::remove(Connection& client) {
    clients_.erase(client.shared_from_this());
    if (opener_.get() != &client) return;
    opener_.reset();
    missing_ = 0;  // the ranks agree that all have come before the first one goes
}

void Relay::lose(const Status& why) {
    if (!lost_.ok()) return;
    lost_ = explained(why);
    other_.reset();
    under_way_.clear();
    missing_ = 0;
    for (const auto& client : std::exchange(clients_, {})) client->refuse(lost_);
}

void Relay::ended(Connection& connection, const Status& why) {
    if (&connection == other_.get()) return lose(why);
    remove(connection);
}

void Relay::end() {
    if (other_) other_->finish();
    other_.reset();
    command_.reset();
}

}  // namespace kumihimo::iod::process
