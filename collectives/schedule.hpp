// What a collective operation is to one rank: a sequence of steps on three buffers, with dependencies. The MPI executor, the
// simulator and the tests' interpreter run the same steps; this file knows neither MPI nor time.
//
// The rules under which a schedule may be run, and under which the tests prove it:
// - A step may start when all steps of its `after` are complete, in whatever order of the schedule.
// - Messages match by (sender, receiver, channel) in the schedules' order: a runner starts the sends to one peer on one channel
//   in their order, and so the receives.
// - A send may complete before or only after its receive has started (MPI-4.0 3.4: no schedule may rely on buffering).
// - A runner may look ahead any number of steps, but at least `least_window` beyond the first that is not complete.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace kumihimo::collectives {

using Bytes = std::int64_t;  // sizes and offsets; signed, so that differences are
using StepIndex = std::int64_t;

constexpr int least_window = 16;

// The user's buffers (of an operation with one buffer: receive), and work space which the runner provides.
enum class Buffer : std::uint8_t { send, receive, work };

enum class Action : std::uint8_t {
    send,     // `from` to the peer
    receive,  // `to` from the peer
    reduce,   // to = from (operation) to, in this order, like MPI_Reduce_local (MPI-4.0 6.9.7)
    copy,     // to = from
};

struct Span {
    Buffer buffer = Buffer::work;
    Bytes offset = 0;
    Bytes bytes = 0;

    Span part(Bytes first, Bytes length) const { return {buffer, offset + first, length}; }
    bool operator==(const Span&) const = default;
};

// Steps first..last of the same rank; none if last < first.
struct Interval {
    StepIndex first = 0, last = -1;

    bool empty() const { return last < first; }
    void extend(StepIndex step) { *this = {empty() ? step : first, step}; }  // to a later step
    bool operator==(const Interval&) const = default;
};

// What must be complete before a step starts.
struct After {
    std::array<Interval, 3> intervals{};

    After() = default;
    After(StepIndex step) { add({step, step}); }
    After(Interval interval) { add(interval); }
    After(Interval a, Interval b) {
        add(a);
        add(b);
    }

    bool empty() const { return intervals[0].empty(); }
    // Where there are more intervals than places the last ones become one: more is waited for than needed, never less.
    After& add(Interval interval) {
        if (interval.empty()) return *this;
        for (Interval& place : intervals)
            if (place.empty()) return place = interval, *this;
        intervals.back() = {std::min(intervals.back().first, interval.first), std::max(intervals.back().last, interval.last)};
        return *this;
    }
    After& add(StepIndex step) { return add({step, step}); }
};

struct Step {
    Action action = Action::copy;
    int peer = -1;    // of messages: a rank of the operation
    int channel = 0;  // of messages: 0 <= channel < channels
    Span from, to;    // of as many bytes; a message has only one of them
    After after;
};

constexpr int channels = 8;

inline Step send(int peer, Span from, After after = {}, int channel = 0) {
    return {Action::send, peer, channel, from, {}, after};
}
inline Step receive(int peer, Span to, After after = {}, int channel = 0) {
    return {Action::receive, peer, channel, {}, to, after};
}
inline Step reduce(Span from, Span to, After after = {}) {
    return {Action::reduce, -1, 0, from, to, after};
}
inline Step copy(Span from, Span to, After after = {}) {
    return {Action::copy, -1, 0, from, to, after};
}

}  // namespace kumihimo::collectives
