#include "iod/catwalk/lane.hpp"

#include <limits>

#include "iod/catwalk/stopwatch.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr std::chrono::seconds farewell_time{5};
constexpr Offset everything = std::numeric_limits<Offset>::max();

}  // namespace

Lane::Lane(const LaneOptions& options, std::unique_ptr<JournalFile> journal)
    : options_(options),
      journal_(std::move(journal)),
      stage_(options.stage, journal_.get()),
      outlet_(options.server, options.stage),
      children_(*this, static_cast<std::size_t>(options.stage.children), options.stage.largest_record) {}

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
    children_.finish_unless_stuck(farewell_time);
}

// ---- records ----

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

void Lane::drain(int source, const Drain& drain, Answered answered) {
    if (!failed_.ok()) return answered({failed_});
    drains_.join(drain, std::move(answered));
    stage_.drain(source, drain.epoch);
}

void Lane::pass_drain(std::uint64_t epoch) {
    if (stager_) stager_->drop();
    auto draining = drains_.take(epoch);
    if (!draining) return;
    draining->drain.server = options_.server;
    const bool durable = makes_durable(draining->drain.purpose);
    outlet_.ask({draining->drain, [this, durable, waiting = std::move(draining->waiting)](Reply&& reply) {
                     if (stager_) stager_->drop();  // others' records are in the file only now
                     if (journal_ && durable && reply.status.ok()) journal_->durable();
                     for (const Answered& answered : waiting) answered(Reply(reply));
                 }});
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
    return children_.work() || moved;
}

void Lane::fail(const Status& why) {
    if (!failed_.ok()) return;
    failed_ = why;
    outlet_.fail(why);
    for (const Passing& passing : std::exchange(passing_, {})) passing.ask.answered({why});
    drains_.fail(why);
}

void Lane::tell_neighbours(const Status& failure) {
    outlet_.tell(failure);
    children_.tell(failure);
}

void Lane::cut() {
    outlet_.cut();
    children_.cut();
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
    add("received bytes", children_.received_bytes());
    add("sent bytes", outlet_.sent_bytes());
    add("waits for room", full_);
    add("sort seconds", sort_seconds_);
    add("link seconds", outlet_.link_seconds());
    if (stager_) {
        add("chunks fetched", stager_->fetched());
        add("bytes staged on disk", stager_->on_disk_bytes());
    }
    if (server() != nullptr) server()->count(counters);
}

}  // namespace kumihimo::iod::process
