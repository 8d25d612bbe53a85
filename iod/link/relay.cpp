#include "iod/link/relay.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/format.hpp"
#include "iod/link/random_bytes.hpp"

namespace kumihimo::iod::process {

namespace {

Way known_as(const Route& route) {
    return route.way == Way{} ? random_name() : route.way;
}

}  // namespace

Relay::Relay(Host& host, std::uint32_t number, Route route, std::shared_ptr<Connection> opener)
    : host_(host),
      number_(number),
      route_(std::move(route)),
      opener_(std::move(opener)),
      files_(route_.alone),
      way_(known_as(route_)),
      timer_(host.loop()) {}

// ---- reaching the other side ----

void Relay::begin(const FrameHeader& request) {
    opening_ = request;
    opener_->role = {Role::client, number_, 0};
    clients_.insert(opener_);
    begin_attempts();
    attempts_ = 0;
    call();
}

void Relay::call() {
    command_.reset();
    try {
        command_ = std::make_unique<link::Command>(route_.command);
    } catch (const base::Error& error) {
        return reached(nullptr, {Code::not_supported, error.what(), ""});
    }
    const Greeting greeting{fmt::format("a relay to {}", route_.host), {},   version_of_files,
                            std::chrono::seconds(route_.patience),     true, route_.compresses};
    host_.call(command_->take_socket(), greeting, {Role::parent, number_, 0},
               [weak = weak_from_this()](const std::shared_ptr<Connection>& other, const Status& status) {
                   if (const auto relay = weak.lock()) relay->reached(other, status);
               });
}

// ssh says on standard error why it ended: that is more than that it did.
Status Relay::explained(const std::string& what, const Status& why) const {
    const std::string complaint = command_ ? command_->complaint() : "";
    return {why.code == Code::ok ? Code::lost_process : why.code,
            fmt::format("{}: {}{}{}", what, why.text, complaint.empty() ? "" : ". It said: ", complaint), why.errno_name};
}

void Relay::reached(const std::shared_ptr<Connection>& other, const Status& status) {
    if (!lost_.ok()) return;
    other_ = other;
    if (!other_) return broke(status);
    const bool knows = other_->version >= version_of_claims;
    if (!ready_) claims_ = knows;
    if (claims_ && knows) return claim();
    if (!ready_) return go_on();
    lose({Code::not_supported,
          fmt::format("the connection with {} was lost, and its version of the protocol, {}, cannot end what still serves the "
                      "lost one. Install the same version of Kumihimo on both machines",
                      route_.host, other_->version),
          ""});
}

// Nothing else is sent before the answers: what an old process has received may be done until then, and only until then.
void Relay::claim() {
    to_claim_ = ready_ ? std::vector<Way>{} : route_.lost;
    to_claim_.push_back(way_);
    claim_next();
}

void Relay::claim_next() {
    claiming_ = ++last_request_;
    other_->send({Type::file_claim, 0, 0, 0, claiming_, 0}, encode(FileClaim{to_claim_.back(), route_.patience}));
    to_claim_.pop_back();
    timer_.expires_after(std::chrono::seconds(route_.patience) + grace);
    timer_.async_wait([weak = weak_from_this()](const std::error_code& error) {
        const auto relay = weak.lock();
        if (error || !relay || relay->claiming_ == 0 || !relay->other_) return;
        relay->other_->close();
        relay->broke({Code::timed_out, "no answer in time", ""});
    });
}

void Relay::claimed(const Status& status) {
    claiming_ = 0;
    timer_.cancel();
    if (status.ok() && !to_claim_.empty()) return claim_next();
    if (status.ok()) return route_.channel && other_->version >= version_of_channels ? ask_for_channel() : go_on();
    if (!ready_) return answer_opening(explained(fmt::format("{} refuses", route_.host), status));
    lose({status.code, fmt::format("the connection with {} was lost, and then: {}", route_.host, status.text),
          status.errno_name});
}

void Relay::ask_for_channel() {
    channel_asked_ = ++last_request_;
    other_->send({Type::file_channel, 0, 0, 0, channel_asked_, 0}, encode(FileChannel{channel_budget}));
}

// Without one the bytes go through the command.
void Relay::offered(const Channel& channel) {
    channel_asked_ = 0;
    if (!channel.status.ok()) return go_on();
    Greeting greeting{fmt::format("a relay to {}", route_.host), channel.token, version_of_channels};
    greeting.compresses = route_.compresses;
    host_.connect(
        channel.addresses, greeting, {Role::parent, number_, 0},
        [weak = weak_from_this(), asker = std::weak_ptr(other_)](const std::shared_ptr<Connection>& made, const Status&) {
            const auto relay = weak.lock();
            if (!relay || !relay->other_ || relay->other_ != asker.lock()) {  // that is over meanwhile
                if (made) made->close();
                return;
            }
            if (made) relay->asker_ = std::exchange(relay->other_, made);
            relay->go_on();
        });
}

void Relay::go_on() {
    met_ = true;
    if (ready_) return reopen();
    answer_opening({});
}

void Relay::forget_other() {
    if (asker_) asker_->close();
    asker_.reset();
    other_.reset();
    claiming_ = channel_asked_ = 0;
    met_ = false;
}

void Relay::answer_opening(const Status& status) {
    ready_ = true;
    Routed routed;
    routed.status = status;
    if (status.ok()) {
        routed.version = other_->version;
        routed.channel = asker_ != nullptr;
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
    if (&connection == asker_.get()) throw ProtocolError("a frame beside the channel");
    from_client(connection, std::move(arrival));
}

bool Relay::crowded() const {
    return kept_ > most_kept || (other_ && other_->queued_bytes() > most_queued);
}

void Relay::from_client(Connection& client, Arrival&& arrival) {
    if (arrival.header.type == Type::leave) {
        client.answer(arrival.header, encode(Status{}));
        return remove(client);
    }
    if (!lost_.ok()) return client.refuse(lost_);
    if (!ready_) throw ProtocolError("a request before the other machine was reached");
    if (arrival.header.request == 0 || arrival.header.answer()) throw ProtocolError("a frame that asks for nothing");
    (void)files_.there(arrival.header.session);
    const std::uint64_t number = ++last_request_;
    const Asked& asked = under_way_[number] = {client.weak_from_this(), arrival.header,
                                               std::make_shared<const Payload>(std::move(arrival.payload))};
    kept_ += asked.payload->size();
    if (flows()) pass_on(number, asked);
    if (std::exchange(sleeps_, false)) {
        begin_attempts();
        try_again();
    }
    if (crowded()) client.pause();
}

void Relay::pass_on(std::uint64_t number, const Asked& asked) {
    const Type type = asked.header.type;
    const FrameHeader header{type, 0, files_.there(asked.header.session), 0, number, 0};
    if (type == Type::file_open)
        other_->send(header, encode(files_.opening_now(decode<FileOpen>(*asked.payload))));
    else
        other_->send(header, asked.payload);
}

void Relay::from_other(Arrival&& arrival) {
    if (!arrival.header.answer()) throw ProtocolError("a frame that answers nothing");
    const std::uint64_t number = arrival.header.request;
    if (claiming_ != 0 && number == claiming_) return claimed(decode<Status>(arrival.payload));
    if (channel_asked_ != 0 && number == channel_asked_) return offered(decode<Channel>(arrival.payload));
    if (restoring_.erase(number) > 0) return;
    if (const auto again = reopening_.extract(number); !again.empty()) return reopened(again.mapped(), arrival.payload);
    const auto found = under_way_.find(number);
    if (found == under_way_.end() || found->second.header.type != arrival.header.type)
        throw ProtocolError("an answer that nobody asked for");
    const FrameHeader& question = found->second.header;
    Payload answer = files_.answered(question.type, question.session, *found->second.payload, std::move(arrival.payload),
                                     found->second.again);
    const Asked asked = std::move(under_way_.extract(found).mapped());
    kept_ -= asked.payload->size();
    attempts_ = 0;
    const auto client = asked.by.lock();
    if (!client) return;
    client->send({arrival.header.type, flag_answer, arrival.header.session, 0, asked.header.request, 0}, std::move(answer));
    if (client->queued_bytes() > most_unread) throw ProtocolError("more answers than anybody asked for");
}

bool Relay::work() {
    if (crowded() || (other_ && other_->queued_bytes() > most_queued / 2)) return false;
    for (const auto& client : clients_) client->resume();
    return false;
}

// ---- a connection that broke ----

// Another one takes its place: at once, then after pauses, until the time is over in which one is made at all. One after
// which nothing was answered may have broken for what was asked: few of those. If nothing is asked, there is time.
void Relay::broke(const Status& why) {
    const bool first = other_ != nullptr;
    forget_other();
    reopening_.clear();
    restoring_.clear();
    if (!ready_ && turned_away() && Clock::now() + pause_ < give_up_at_) return try_later();
    if (!ready_) return answer_opening(explained(fmt::format("{} cannot be reached", route_.host), why));
    const Status told = explained(fmt::format("the connection with {} is lost", route_.host), why);
    if (files_.hold_locks())
        return lose({told.code, told.text + ". A file was locked: what it protected is lost", told.errno_name});
    if (first) {
        if (sleeps_ = under_way_.empty(); sleeps_) return;
        begin_attempts();
    }
    if (attempts_ > most_attempts || Clock::now() + pause_ > give_up_at_) return lose(told);
    try_later();
}

// By an sshd to which too many log in at once (sshd_config(5), MaxStartups): it closes the connection before it says who it is.
bool Relay::turned_away() const {
    return command_ && command_->complaint().find("kex_exchange_identification") != std::string::npos;
}

void Relay::try_later() {
    timer_.expires_after(pause_);
    pause_ = std::min<Clock::duration>(2 * pause_, longest_pause);
    timer_.async_wait([weak = weak_from_this()](const std::error_code& error) {
        const auto relay = weak.lock();
        if (!error && relay && relay->lost_.ok() && !relay->over()) relay->try_again();
    });
}

void Relay::begin_attempts() {
    ++attempts_;
    give_up_at_ = Clock::now() + std::chrono::seconds(route_.patience);
    pause_ = first_pause;
}

void Relay::try_again() {
    files_.begin_again();
    call();
}

void Relay::reopen() {
    for (const auto& [file, open] : files_.to_reopen()) reopen(file, open);
    if (reopening_.empty()) send_again();
}

void Relay::reopen(std::uint32_t file, const FileOpen& open) {
    reopening_[++last_request_] = file;
    other_->send({Type::file_open, 0, 0, 0, last_request_, 0}, encode(open));
}

// Of a rename that was done the answer may be lost: then the file has its other name.
bool Relay::follow(std::uint32_t file) {
    return std::ranges::any_of(under_way_, [&](const auto& entry) {
        const Asked& asked = entry.second;
        return asked.header.type == Type::file_rename && files_.follow(file, decode<FileRename>(*asked.payload));
    });
}

void Relay::reopened(std::uint32_t file, const Payload& answer) {
    const auto opened = decode<FileOpened>(answer);
    if (opened.status.errno_name == "ENOENT" && follow(file)) return reopen(file, files_.to_reopen().at(file));
    const Status status = files_.reopened(file, opened);
    if (!status.ok())
        return lose({status.code, fmt::format("the connection with {} was lost, and then: {}", route_.host, status.text),
                     status.errno_name});
    if (reopening_.empty()) send_again();
}

void Relay::send_again() {
    for (const auto& [file, call] : files_.to_restore()) {
        restoring_.insert(++last_request_);
        other_->send({Type::file_call, 0, files_.there(file), 0, last_request_, 0}, encode(call));
    }
    for (auto& [number, asked] : under_way_) {
        asked.again = true;
        pass_on(number, asked);
    }
}

// ---- ends ----

void Relay::remove(Connection& client) {
    clients_.erase(client.shared_from_this());
    if (opener_.get() != &client) return;
    opener_.reset();
    missing_ = 0;  // the ranks agree that all have come before the first one goes
    if (ready_) return;
    ready_ = true;
    lose({Code::lost_process, "who asked for the way is gone", ""});
}

void Relay::lose(const Status& why) {
    if (!lost_.ok()) return;
    lost_ = why;
    if (other_) other_->finish();
    forget_other();
    under_way_.clear();
    kept_ = 0;
    missing_ = 0;
    for (const auto& client : std::exchange(clients_, {})) client->refuse(lost_);
}

void Relay::ended(Connection& connection, const Status& why) {
    if (&connection == asker_.get() && other_) other_->close();
    if (&connection != other_.get() && &connection != asker_.get()) return remove(connection);
    if (why.code == Code::quota && ready_) return lose(explained(fmt::format("{} refuses", route_.host), why));
    broke(why);
}

void Relay::end() {
    timer_.cancel();
    if (other_) other_->finish();
    forget_other();
    command_.reset();
}

}  // namespace kumihimo::iod::process
