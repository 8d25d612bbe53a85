#include "iod/catwalk/lane.hpp"

#include <algorithm>
#include <limits>

#include "iod/catwalk/stopwatch.hpp"
#include "iod/protocol/bulk.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr long most_reads_of_child = 32;
constexpr std::chrono::seconds farewell_time{5};
constexpr Offset everything = std::numeric_limits<Offset>::max();

}  // namespace

Lane::Lane(const LaneOptions& options, std::unique_ptr<JournalFile> journal)
    : options_(options),
      journal_(std::move(journal)),
      stage_(options.stage, journal_.get()),
      outlet_(options.server, options.stage) {}

// ---- the way out ----

// Only what comes over a network is worth keeping: a file on the server's own disk is local there.
void Lane::stage_what_is_far() {
    if (options_.staging.capacity_bytes == 0 || !outlet_.is_far()) return;
    const auto fetch = [this](Offset offset, std::uint64_t bytes, Answered answered) {
        const Read read{options_.server, offset, bytes, 0, false};
        pass({read, std::move(answered)}, offset, offset + static_cast<Offset>(bytes));
    };
    stager_ = std::make_unique<Stager>(options_.staging, fetch);
}

// A neighbour whose link is cut would else keep this process waiting for its end, or for room in the link's buffer.
void Lane::leave_all() {
    outlet_.leave();
    outlet_.finish_unless_stuck(farewell_time);
    for (const Child& child : children_) child.connection->finish_unless_stuck(farewell_time);
}

// ---- questions ----

void Lane::pass(Ask&& ask, Offset begin, Offset end) {
    if (!failed_.ok()) return ask.answered({failed_});
    passing_.push_back({std::move(ask), begin, end});
}

void Lane::ask(Ask&& ask) {
    if (const Read* const read = std::get_if<Read>(&ask.what)) {
        if (stager_ && !read->fresh && failed_.ok()) return stager_->read(read->offset, read->bytes, std::move(ask.answered));
        const auto [begin, bytes] = std::pair(read->offset, static_cast<Offset>(read->bytes));
        return pass(std::move(ask), begin, begin + bytes);
    }
    const Call call = std::get<Call>(ask.what);
    if (call.function == Function::show) return pass(std::move(ask), 0, everything);
    if (call.function == Function::set_size && stager_) stager_->drop();
    if (call.function == Function::size)
        ask.answered = [held = highest_end(), next = std::move(ask.answered)](Reply&& reply) {
            reply.value = std::max(reply.value, held);
            next(std::move(reply));
        };
    pass(std::move(ask), 0, 0);
}

// ---- drains ----

void Lane::drain(const Drain& drain, Answered answered) {
    begin_drain(Stage::ranks_here, drain, std::move(answered));
}

void Lane::begin_drain(int source, const Drain& drain, Answered&& answered) {
    if (!failed_.ok()) return answered({failed_});
    const bool out_of_turn = drain.epoch <= last_epoch_ || (!drains_.empty() && drains_.begin()->first != drain.epoch);
    if (out_of_turn) throw ProtocolError("a drain that is not the next one");
    const auto [entry, first] = drains_.try_emplace(drain.epoch);
    Draining& draining = entry->second;
    if (first) draining.drain = drain;
    draining.drain.server = options_.server;
    if (!first) draining.drain.status.keep_first(drain.status);
    draining.waiting.push_back(std::move(answered));
    stage_.drain(source, drain.epoch);
}

void Lane::pass_drain(std::uint64_t epoch) {
    if (stager_) stager_->drop();
    auto node = drains_.extract(epoch);
    if (node.empty()) return;
    last_epoch_ = epoch;
    Draining& draining = node.mapped();
    const bool durable = makes_durable(draining.drain.purpose);
    outlet_.ask({draining.drain, [this, durable, waiting = std::move(draining.waiting)](Reply&& reply) {
                     if (stager_) stager_->drop();  // others' records are in the file only now
                     if (journal_ && durable && reply.status.ok()) journal_->durable();
                     for (const Answered& answered : waiting) answered(Reply(reply));
                 }});
}

// ---- records ----

bool Lane::put(Offset offset, std::span<const std::byte> data) {
    return put(Stage::ranks_here, offset, data);
}

bool Lane::put(int source, Offset offset, std::span<const std::byte> data) {
    if (!failed_.ok()) return true;  // dropped: streams never stop
    if (!stage_.has_room(data.size())) {
        ++full_;
        return false;
    }
    if (server() != nullptr) server()->expect_records();
    stage_.put(source, offset, data);
    if (stager_) stager_->patch(offset, data);
    return true;
}

// ---- children ----

void Lane::add_child(std::shared_ptr<Connection> child) {
    children_.push_back({std::move(child), {}});
}

void Lane::from_child(Connection& connection, Arrival&& arrival) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
        Child& child = children_[i];
        if (child.connection.get() != &connection) continue;
        child.frames.push_back(std::move(arrival));
        take(static_cast<int>(i), child);
        if (!child.frames.empty()) connection.pause();
        return;
    }
}

// Takes the waiting frames of a child as far as there is room; whether anything was taken.
bool Lane::take(int number, Child& child) {
    bool moved = false;
    while (!child.frames.empty()) {
        const Arrival& frame = child.frames.front();
        const bool records = frame.header.type == Type::records;
        if (!(records ? take_records(number, child, frame) : take_question(number, child, frame))) return moved;
        child.frames.pop_front();
        moved = true;
    }
    child.connection->resume();
    return moved;
}

// False: no room for the next one. What was taken is remembered.
bool Lane::take_records(int number, Child& child, const Arrival& frame) {
    const RecordsView view(frame.payload);
    for (; child.record < view.count(); ++child.record) {
        const RecordPlace place = view.place(child.record);
        for (; child.record_at < place.bytes;) {
            const std::size_t bytes = std::min<std::size_t>(place.bytes - child.record_at, options_.stage.largest_record);
            const auto data = view.bytes().subspan(child.bytes_at, bytes);
            if (!put(number, place.offset + static_cast<Offset>(child.record_at), data)) return false;
            child.record_at += bytes;
            child.bytes_at += bytes;
        }
        child.record_at = 0;
    }
    received_bytes_ += view.bytes().size();
    child.record = child.bytes_at = 0;
    return true;
}

// What a child asked to read takes memory here until it took the answer: more of them wait.
bool Lane::Child::may_read() const {
    return reads.use_count() <= most_reads_of_child && connection->queued_bytes() < limit::read_bytes;
}

Answered Lane::to_child(Child& child, const FrameHeader& header) {
    if (child.questions.use_count() > static_cast<long>(limit::under_way)) throw ProtocolError("too many questions at a time");
    return [connection = std::weak_ptr(child.connection), header, counted = child.questions](Reply&& reply) {
        if (const auto open = connection.lock()) {
            Payload head = encode_reply(header.type, reply);
            open->answer(header, std::move(head), std::move(reply.bytes));
        }
    };
}

// False: it must wait.
bool Lane::take_question(int number, Child& child, const Arrival& frame) {
    const FrameHeader& header = frame.header;
    if (child.left) throw ProtocolError("a message of an agent that has left");
    switch (header.type) {
        case Type::drain:
            begin_drain(number, decode<Drain>(frame.payload), to_child(child, header));
            return true;
        case Type::read: {
            const Read read = decode<Read>(frame.payload);
            if (!child.may_read()) return false;
            ask({read,
                 [answered = to_child(child, header), counted = child.reads](Reply&& reply) { answered(std::move(reply)); }});
            return true;
        }
        case Type::call:
            ask({decode<Call>(frame.payload), to_child(child, header)});
            return true;
        case Type::leave:
            child.left = true;
            stage_.lose(number);
            return true;
        default:
            throw ProtocolError("a message that no agent sends to its parent");
    }
}

bool Lane::lost_child(Connection& connection) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
        Child& child = children_[i];
        if (child.connection.get() != &connection || child.left) continue;
        child.left = true;
        child.frames.clear();
        stage_.lose(static_cast<int>(i));
        return true;
    }
    return false;
}

bool Lane::children_left() const {
    return std::ranges::all_of(children_, [](const Child& child) { return child.left; }) &&
           children_.size() == static_cast<std::size_t>(options_.stage.children);
}

// ---- all together ----

bool Lane::send_one() {
    if (passing_.empty()) return outlet_.send([&](RecordSink& sink) { return stage_.next(sink); });
    Passing& first = passing_.front();
    const auto of_first = [&](RecordSink& sink) { return stage_.next_in(first.begin, first.end, sink); };
    if (first.begin < first.end && outlet_.send(of_first)) return true;
    Ask ask = std::move(first.ask);
    passing_.pop_front();
    outlet_.ask(std::move(ask));
    return true;
}

bool Lane::send_all() {
    Stopwatch stopwatch(sort_seconds_);
    bool moved = false;
    while (failed_.ok() && outlet_.has_room() && send_one()) moved = true;
    if (moved) stopwatch.counts();
    return moved;
}

bool Lane::work() {
    bool moved = send_all();
    outlet_.watch();
    if (failed_.ok())
        if (const auto epoch = stage_.drained()) {
            pass_drain(*epoch);
            moved = true;
        }
    for (std::size_t i = 0; i < children_.size(); ++i)
        if (!children_[i].frames.empty()) moved = take(static_cast<int>(i), children_[i]) || moved;
    return moved;
}

void Lane::fail(const Status& why) {
    if (!failed_.ok()) return;
    failed_ = why;
    outlet_.fail(why);
    for (const Passing& passing : std::exchange(passing_, {})) passing.ask.answered({why});
    for (const auto& [epoch, draining] : std::exchange(drains_, {}))
        for (const Answered& answered : draining.waiting) answered({why});
}

void Lane::tell_neighbours(const Status& failure) {
    outlet_.tell(failure);
    for (const Child& child : children_)
        if (!child.left) child.connection->send({Type::failure, 0, 0, 0, 0, 0}, encode(failure));
}

void Lane::cut() {
    outlet_.cut();
    for (const Child& child : children_) child.connection->close();
}

void Lane::count(Counters& counters) const {
    const Stage::Counts stage = stage_.counts();
    const auto add = [&](const char* name, auto value) { counters.emplace_back(name, static_cast<double>(value)); };
    add("records in", stage.records.records_in);
    add("records out", stage.records.records_out);
    add("merged", stage.records.merged);
    add("overwritten bytes", stage.records.overwritten_bytes);
    add("seeks", stage.seeks);
    add("bytes in", stage.bytes_in);
    add("bytes out", stage.bytes_out);
    add("overflowed bytes", stage.overflowed_bytes);
    add("received bytes", received_bytes_);
    add("sent bytes", outlet_.sent_bytes());
    add("waits for room", full_);
    add("sort seconds", sort_seconds_);
    add("link seconds", outlet_.link_seconds());
    if (stager_) {
        add("chunks fetched", stager_->fetched());
        add("bytes staged on disk", stager_->on_disk_bytes());
    }
    if (server() == nullptr) return;
    const Server::Counts& counts = server()->counts();
    add("file writes", counts.writes.load());
    add("file bytes written", counts.bytes_written.load());
    add("file seeks", counts.seeks.load());
    add("file reads", counts.reads.load());
    add("file bytes read", counts.bytes_read.load());
    add("write seconds", counts.write_seconds.load());
    add("read seconds", counts.read_seconds.load());
    add("sync seconds", counts.sync_seconds.load());
}

}  // namespace kumihimo::iod::process
