#include "tests/collectives/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tests/collectives/expected.hpp"

namespace kumihimo::collectives::test {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what);
}

bool is_message(const Step& step) {
    return step.action == Action::send || step.action == Action::receive;
}
bool reads_from(const Step& step) {
    return step.action != Action::receive;
}
bool writes_to(const Step& step) {
    return step.action != Action::send;
}

bool overlap(const Span& a, const Span& b) {
    return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

// Whether the two steps must not run at the same time.
bool conflict(const Step& a, const Step& b) {
    if (writes_to(a) && writes_to(b) && overlap(a.to, b.to)) return true;
    if (writes_to(a) && reads_from(b) && overlap(a.to, b.from)) return true;
    return writes_to(b) && reads_from(a) && overlap(b.to, a.from);
}

std::string text(const Span& span) {
    constexpr const char* names[] = {"send", "receive", "work"};
    return fmt::format("{}[{}, +{})", names[static_cast<int>(span.buffer)], span.offset, span.bytes);
}

}  // namespace

std::string text(const Step& step) {
    constexpr const char* names[] = {"send", "receive", "reduce", "copy"};
    std::string result = names[static_cast<int>(step.action)];
    if (is_message(step)) result += fmt::format(" peer {} channel {}", step.peer, step.channel);
    if (reads_from(step)) result += " from " + text(step.from);
    if (writes_to(step)) result += " to " + text(step.to);
    for (const Interval& interval : step.after.intervals)
        if (!interval.empty()) result += fmt::format(" after {}..{}", interval.first, interval.last);
    return result;
}

Interpreter::Interpreter(const Algorithm& algorithm, const std::vector<Call>& calls) {
    for (const Call& call : calls) {
        Rank& rank = ranks_.emplace_back();
        rank.call = call;
        read(algorithm, rank);
        check_races(rank);
    }
    match();
}

void Interpreter::read(const Algorithm& algorithm, Rank& rank) {
    Steps steps = schedule(algorithm, rank.call);
    while (const Step* const step = steps.next()) {
        check_step(algorithm, rank, *step, rank.steps.size());
        rank.steps.push_back(*step);
    }
}

void Interpreter::check_step(const Algorithm& algorithm, const Rank& rank, const Step& step, std::size_t index) const {
    const Call& call = rank.call;
    const auto wrong = [&](const char* what) {
        fail(fmt::format("rank {} step {}: {}: {}", call.rank, index, text(step), what));
    };
    const auto inside = [&](const Span& span) {
        const Bytes size = span.buffer == Buffer::send      ? send_bytes(call)
                           : span.buffer == Buffer::receive ? receive_bytes(call)
                                                            : work_bytes(algorithm, call);
        if (span.offset < 0 || span.bytes < 0 || (span.bytes > 0 && span.offset + span.bytes > size))
            wrong("outside the buffer");
        const bool reduction = call.operation == Operation::reduce || call.operation == Operation::allreduce ||
                               call.operation == Operation::reduce_scatter;
        if (reduction && (span.offset % call.element_bytes != 0 || span.bytes % call.element_bytes != 0))
            wrong("cuts an element");
    };
    if (reads_from(step)) inside(step.from);
    if (writes_to(step)) inside(step.to);
    if (writes_to(step) && step.to.buffer == Buffer::send) wrong("writes to the send buffer");
    if (!is_message(step) && step.from.bytes != step.to.bytes) wrong("different lengths");
    if (!is_message(step) && overlap(step.from, step.to)) wrong("reads what it writes");
    if (is_message(step) && (step.peer < 0 || step.peer >= call.ranks || step.peer == call.rank)) wrong("no such peer");
    if (step.channel < 0 || step.channel >= channels) wrong("no such channel");
    for (const Interval& interval : step.after.intervals)
        if (!interval.empty() && (interval.first < 0 || interval.last >= static_cast<StepIndex>(index)))
            wrong("after a later step");
}

void Interpreter::check_races(const Rank& rank) const {
    const std::size_t count = rank.steps.size(), words = (count + 63) / 64;
    std::vector<std::uint64_t> before(count * words);  // bit j of row i: step i comes after step j
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t* const row = &before[i * words];
        for (const Interval& interval : rank.steps[i].after.intervals)
            for (StepIndex j = interval.first; j <= interval.last; ++j) {
                const std::size_t earlier = static_cast<std::size_t>(j);
                row[earlier / 64] |= std::uint64_t{1} << earlier % 64;
                for (std::size_t word = 0; word < words; ++word) row[word] |= before[earlier * words + word];
            }
        for (std::size_t j = 0; j < i; ++j)
            if (!(row[j / 64] >> j % 64 & 1) && conflict(rank.steps[i], rank.steps[j]))
                fail(fmt::format("rank {}: nothing orders step {}: {} and step {}: {}", rank.call.rank, j, text(rank.steps[j]),
                                 i, text(rank.steps[i])));
    }
}

void Interpreter::match() {
    struct Channel {
        std::vector<Message> sends, receives;
    };
    std::map<std::tuple<int, int, int>, Channel> by_channel;
    for (Rank& rank : ranks_) {
        const int me = rank.call.rank;
        rank.partner.resize(rank.steps.size());
        rank.previous.assign(rank.steps.size(), -1);
        for (std::size_t i = 0; i < rank.steps.size(); ++i) {
            const Step& step = rank.steps[i];
            if (!is_message(step)) continue;
            const bool sends = step.action == Action::send;
            Channel& channel =
                by_channel[sends ? std::tuple(me, step.peer, step.channel) : std::tuple(step.peer, me, step.channel)];
            std::vector<Message>& list = sends ? channel.sends : channel.receives;
            if (!list.empty()) rank.previous[i] = static_cast<std::ptrdiff_t>(list.back().step);
            list.push_back({me, i});
        }
    }
    for (auto& [key, channel] : by_channel) {
        const auto [from, to, number] = key;
        if (channel.sends.size() != channel.receives.size())
            fail(fmt::format("{} sends from {} to {} on channel {}, {} receives", channel.sends.size(), from, to, number,
                             channel.receives.size()));
        for (std::size_t k = 0; k < channel.sends.size(); ++k) {
            const Message send = channel.sends[k], receive = channel.receives[k];
            Rank &sender = ranks_[static_cast<std::size_t>(from)], &receiver = ranks_[static_cast<std::size_t>(to)];
            const Bytes bytes = sender.steps[send.step].from.bytes;
            if (bytes != receiver.steps[receive.step].to.bytes)
                fail(fmt::format("message {} from {} to {} on channel {}: {} bytes sent, {} received", k, from, to, number,
                                 bytes, receiver.steps[receive.step].to.bytes));
            sender.partner[send.step] = receive;
            receiver.partner[receive.step] = send;
            ++messages_;
            sent_bytes_ += bytes;
        }
    }
}

void Interpreter::prepare() {
    for (Rank& rank : ranks_) {
        rank.state.assign(rank.steps.size(), State::waiting);
        rank.carried.assign(rank.steps.size(), {});
        rank.low = 0;
        const Bytes sizes[] = {send_bytes(rank.call), receive_bytes(rank.call), 0};
        for (int buffer = 0; buffer < 3; ++buffer) {
            rank.memory[buffer].clear();
            for (Bytes i = 0; i < sizes[buffer]; ++i)
                rank.memory[buffer].push_back(initial(rank.call, static_cast<Buffer>(buffer), i));
        }
        for (const Step& step : rank.steps)
            for (const Span& span : {step.from, step.to})
                if (span.buffer == Buffer::work && span.offset + span.bytes > static_cast<Bytes>(rank.memory[2].size()))
                    rank.memory[2].resize(static_cast<std::size_t>(span.offset + span.bytes), undefined);
    }
}

void Interpreter::run(const Rules& rules) {
    prepare();
    std::mt19937 random(rules.seed);
    std::vector<std::size_t> order(ranks_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto all_done = [](const Rank& rank) { return rank.low == rank.steps.size(); };
    for (bool timid = rules.buffered; !std::all_of(ranks_.begin(), ranks_.end(), all_done);) {
        if (rules.buffered) std::shuffle(order.begin(), order.end(), random);
        bool moved = false;
        for (const std::size_t i : order) moved = advance(ranks_[i], rules, random, timid) || moved;
        if (!moved && !timid) stuck();
        timid = rules.buffered && moved;  // a timid round may do nothing by chance
    }
    for (const Rank& rank : ranks_) compare(rank);
}

bool Interpreter::ready(const Rank& rank, std::size_t index) const {
    if (rank.previous[index] >= 0 && rank.state[static_cast<std::size_t>(rank.previous[index])] == State::waiting) return false;
    for (const Interval& interval : rank.steps[index].after.intervals)
        for (StepIndex i = std::max<StepIndex>(interval.first, static_cast<StepIndex>(rank.low)); i <= interval.last; ++i)
            if (rank.state[static_cast<std::size_t>(i)] != State::done) return false;
    return true;
}

// Does what can be done within the window; timid: only some of it. Whether anything was done.
bool Interpreter::advance(Rank& rank, const Rules& rules, std::mt19937& random, bool timid) {
    bool moved = false;
    const auto chance = [&] { return (random() & 1) != 0; };
    for (std::size_t i = rank.low; i < std::min(rank.low + static_cast<std::size_t>(rules.window), rank.steps.size()); ++i) {
        if (timid && chance()) continue;
        if (rank.state[i] == State::waiting && ready(rank, i)) {
            start(rank, i, rules.buffered && chance());
            moved = true;
        }
        if (rank.state[i] == State::started || (rank.state[i] == State::done && !rank.carried[i].empty()))
            moved = deliver(rank, i) || moved;
    }
    return moved;
}

void Interpreter::start(Rank& rank, std::size_t index, bool early) {
    const Step& step = rank.steps[index];
    rank.state[index] = State::started;
    if (step.action == Action::send && early && step.from.bytes > 0) {
        rank.carried[index] = load(rank, step.from);
        finish(rank, index);
    } else if (step.action == Action::copy) {
        store(rank, step.to, load(rank, step.from));
        finish(rank, index);
    } else if (step.action == Action::reduce) {
        const std::vector<Term> left = load(rank, step.from);
        std::vector<Term> right = load(rank, step.to);
        for (std::size_t i = 0; i < right.size(); ++i) right[i] = terms_.combine(left[i], right[i]);
        store(rank, step.to, right);
        finish(rank, index);
    }
}

// The message of this step, if both sides have started.
bool Interpreter::deliver(Rank& rank, std::size_t index) {
    const Message& other = rank.partner[index];
    if (other.rank < 0) return false;
    Rank& partner = ranks_[static_cast<std::size_t>(other.rank)];
    const bool sends = rank.steps[index].action == Action::send;
    Rank &sender = sends ? rank : partner, &receiver = sends ? partner : rank;
    const std::size_t send = sends ? index : other.step, receive = sends ? other.step : index;
    const bool early = !sender.carried[send].empty();
    if (receiver.state[receive] != State::started || (!early && sender.state[send] != State::started)) return false;
    store(receiver, receiver.steps[receive].to, early ? sender.carried[send] : load(sender, sender.steps[send].from));
    sender.carried[send].clear();
    if (!early) finish(sender, send);
    finish(receiver, receive);
    return true;
}

void Interpreter::finish(Rank& rank, std::size_t index) {
    rank.state[index] = State::done;
    while (rank.low < rank.steps.size() && rank.state[rank.low] == State::done) ++rank.low;
}

std::vector<Term> Interpreter::load(const Rank& rank, const Span& span) const {
    const std::vector<Term>& memory = rank.memory[static_cast<int>(span.buffer)];
    return {memory.begin() + span.offset, memory.begin() + span.offset + span.bytes};
}

void Interpreter::store(Rank& rank, const Span& span, const std::vector<Term>& values) {
    std::copy(values.begin(), values.end(), rank.memory[static_cast<int>(span.buffer)].begin() + span.offset);
}

void Interpreter::compare(const Rank& rank) {
    std::vector<Call> calls;
    for (const Rank& other : ranks_) calls.push_back(other.call);
    const std::vector<Term>& result = rank.memory[static_cast<int>(Buffer::receive)];
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto right = expected(calls, rank.call.rank, static_cast<Bytes>(i));
        if (!right) continue;
        std::vector<Term> inputs = terms_.inputs(result[i]);
        if (rank.call.commutative) std::sort(inputs.begin(), inputs.end());
        if (inputs == *right) continue;
        std::string found;
        for (const Term term : inputs) found += fmt::format(" {}[{}]", (term - 1) / bytes_of_rank, (term - 1) % bytes_of_rank);
        fail(fmt::format("rank {} byte {} of the receive buffer was made of{}", rank.call.rank, i,
                         found.empty() ? " nothing, or of something not written" : found));
    }
}

void Interpreter::stuck() const {
    std::string what = "nothing can go on:";
    for (const Rank& rank : ranks_)
        if (rank.low < rank.steps.size())
            what += fmt::format("\n  rank {} at step {} of {}: {}", rank.call.rank, rank.low, rank.steps.size(),
                                text(rank.steps[rank.low]));
    fail(what);
}

}  // namespace kumihimo::collectives::test
