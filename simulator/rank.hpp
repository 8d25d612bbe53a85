// One rank's schedule while it runs, under the rules of collectives/schedule.hpp: some steps in view, each starts when those
// that it waits for are complete, and messages of one lane (peer, channel, direction) start in the schedule's order.
//
// A step that waits stands in the list of the first step that it waits for, so that whatever completes wakes only those
// concerned. Much of a run's time goes by fetching ranks from memory: a step is one line of it, and what runs next can be
// fetched before.
//
// Beside the run each step keeps its chain: how long what it waits for, and itself, would have taken if nothing were shared,
// neither links nor processors. That does not depend on the order in which steps run.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "collectives/steps.hpp"
#include "simulator/machine.hpp"

namespace kumihimo::simulator {

// Begins to fetch so many bytes from memory.
inline void fetch(const void* place, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(place) + i);
}

using Index = std::int32_t;  // of a step, counted over all calls
constexpr Index none = -1;

// A line of memory.
struct alignas(64) Live {
    enum class State : std::uint8_t { waiting, started, done };

    std::array<std::pair<Index, Index>, 3> after{};  // intervals
    std::uint64_t bytes : 48 = 0;
    std::uint64_t channel : 8 = 0;
    collectives::Action action : 4 = collectives::Action::copy;
    State state : 3 = State::waiting;
    bool followed : 1 = false;  // the next of its lane waits until it has started
    std::int32_t peer = -1;
    Index previous = none;  // of its lane
    Index waiters = none;   // first of those that wait for this one
    Index next = none;      // in that list while it waits, then in a queue
    Time chain = 0;         // to what has been done of this step

    // Since when a receive has been posted, and the chain to where a message started: lie where nothing is waited for any more.
    void post(Time time) { put(0, time); }
    Time posted() const { return get(0); }
    void start() { put(1, chain); }
    Time chain_to_start() const { return get(1); }

private:
    void put(std::size_t place, Time time) {
        after[place] = {static_cast<Index>(time >> 32), static_cast<Index>(time & 0xffffffff)};
    }
    Time get(std::size_t place) const {
        return static_cast<Time>(after[place].first) << 32 | static_cast<std::uint32_t>(after[place].second);
    }
};
static_assert(sizeof(Live) == 64);

// Steps by index that are linked through Live::next.
struct Queue {
    Index first = none, last = none;
    bool empty() const { return first == none; }
};

class Rank {
public:
    // Precondition: complete.
    void begin(collectives::Steps steps, std::size_t view) {
        steps_.emplace(std::move(steps));
        base_ = end_;
        view_ = static_cast<Index>(std::max<std::size_t>(view, collectives::least_window));
        if (view_ <= room_) return;
        room_ = view_;
        window_.reset(static_cast<Live*>(::operator new(static_cast<std::size_t>(room_) * sizeof(Live), alignment)));
        head_ = 0;
    }
    bool complete() const { return !steps_ && low_ == end_; }
    Index low() const { return low_; }
    Index seen() const { return end_; }
    // Of all steps before low(). From now on chains begin anew.
    Time chain() const { return chain_; }
    void restart_chain() { chain_ = 0; }

    // Ends the schedule with this step. Precondition: none beyond has been seen.
    void end_before(Index step) { limit_ = step; }
    // Leaves out `gap` steps before step `first`, and again after every `kept` ones. Those that are left are numbered without
    // them, so that a step behind a gap waits for those that now lie so far before it.
    void leave_out(Index gap, Index first, Index kept) { gap_ = gap, next_gap_ = first, kept_ = kept; }

    // Calls ready(index) for each step that comes into view and can start, in order.
    template <typename Ready>
    void read(Ready&& ready) {
        while (steps_ && end_ - low_ < view_) {
            const collectives::Step* const step = next();
            if (step == nullptr) {
                steps_.reset();
                return;
            }
            append(*step);
            if (may_start(end_ - 1)) ready(end_ - 1);
        }
    }
    // A message has been started: the next of its lane may be. scratch: of all ranks; what lies in it stays.
    template <typename Ready>
    void started(Index index, std::vector<Index>& scratch, Ready&& ready) {
        Live& step = at(index);
        step.state = Live::State::started;
        if (step.followed) wake(index, scratch, ready);
    }
    template <typename Ready>
    void done(Index index, std::vector<Index>& scratch, Ready&& ready) {
        Live& step = at(index);
        step.state = Live::State::done;
        wake(index, scratch, ready);
        while (low_ < end_ && window_[static_cast<std::size_t>(head_)].state == Live::State::done) {
            chain_ = std::max(chain_, window_[static_cast<std::size_t>(head_)].chain);
            ++low_;
            if (++head_ == room_) head_ = 0;
            read(ready);
        }
    }

    Live& at(Index index) { return window_[place(index)]; }
    // Two stages of fetching from memory what done(index) will touch; the second one reads what the first one fetched.
    void prefetch(Index index) const {
        __builtin_prefetch(&window_[place(index)]);
        __builtin_prefetch(&window_[static_cast<std::size_t>(head_)]);
        __builtin_prefetch(lanes_.data());
    }
    const Live& prefetch_behind(Index index) const {
        const Live& step = window_[place(index)];
        if (step.waiters != none) __builtin_prefetch(&window_[place(step.waiters)]);
        if (end_ - low_ < room_) __builtin_prefetch(&window_[place(end_)]);
        return step;
    }
    void push(Queue& queue, Index index) {
        at(index).next = none;
        if (queue.empty())
            queue.first = index;
        else
            at(queue.last).next = index;
        queue.last = index;
    }
    Index pop(Queue& queue) {
        const Index index = queue.first;
        queue.first = at(index).next;
        return index;
    }
    static bool is_message(const Live& step) {
        return step.action == collectives::Action::send || step.action == collectives::Action::receive;
    }

private:
    const collectives::Step* next() {
        if (end_ == limit_) return nullptr;
        if (end_ == next_gap_) {
            for (Index i = 0; i < gap_; ++i)
                if (steps_->next() == nullptr) return nullptr;
            base_ -= gap_;
            next_gap_ += kept_;
        }
        return steps_->next();
    }

    // The last message of a peer, channel and direction. A rank has few: those of its window's steps. Others take the places of
    // those that have left it.
    struct Lane {
        std::uint64_t which;
        Index last;
    };
    static std::uint64_t lane_of(const Live& step) {
        return (static_cast<std::uint64_t>(step.peer) * collectives::channels + step.channel) * 2 +
               (step.action == collectives::Action::send);
    }
    // The message of this lane before the one that enters it; none if that is complete.
    Index enter_lane(std::uint64_t which, Index index) {
        Lane* left = nullptr;
        for (Lane& lane : lanes_) {
            if (lane.which == which) {
                const Index last = std::exchange(lane.last, index);
                return last < low_ || at(last).state == Live::State::done ? none : last;
            }
            if (lane.last < low_) left = &lane;
        }
        if (left != nullptr)
            *left = {which, index};
        else
            lanes_.push_back({which, index});
        return none;
    }

    void append(const collectives::Step& step) {
        Live& live = at(end_);
        live = Live();
        for (std::size_t i = 0; i < live.after.size(); ++i) {
            const collectives::Interval& interval = step.after.intervals[i];
            live.after[i] = interval.empty() ? std::pair{0, -1}
                                             : std::pair{base_ + static_cast<Index>(interval.first),
                                                         base_ + static_cast<Index>(interval.last)};
        }
        live.bytes = static_cast<std::uint64_t>(step.action == collectives::Action::receive ? step.to.bytes : step.from.bytes);
        live.peer = step.peer;
        live.channel = static_cast<std::uint8_t>(step.channel);
        live.action = step.action;
        live.chain = chain_;
        if (is_message(live)) live.previous = enter_lane(lane_of(live), end_);
        chain_of_dropped(live);
        ++end_;
    }
    // What the newest step waits for and is done with has no place in the window. Of the last ones chains are still there,
    // older ones are in chain_, since the step came into view by them.
    void chain_of_dropped(Live& step) {
        for (auto& [first, last] : step.after)
            for (first = std::max(first, end_ - view_ + 1); first <= last && first < low_; ++first)
                step.chain = std::max(step.chain, dropped(first).chain);
    }

    // Whether all is there; else it is put into the list of the first that is missing, so that none of them leaves the window
    // before its chain is known.
    bool may_start(Index index) {
        Live& step = at(index);
        while (true) {
            std::pair<Index, Index>* least = nullptr;
            for (auto& interval : step.after)
                if (interval.first <= interval.second && (least == nullptr || interval.first < least->first)) least = &interval;
            if (step.previous != none && (least == nullptr || step.previous <= least->first)) {
                Live& previous = at(step.previous);
                if (previous.state == Live::State::waiting) {
                    previous.followed = true;
                    return wait(index, step.previous), false;
                }
                step.chain = std::max(step.chain, previous.chain_to_start());
                step.previous = none;
            } else if (least != nullptr) {
                const Live& other = at(least->first);
                if (other.state != Live::State::done) return wait(index, least->first), false;
                step.chain = std::max(step.chain, other.chain);
                ++least->first;
            } else {
                return true;
            }
        }
    }
    void wait(Index index, Index for_what) { at(index).next = std::exchange(at(for_what).waiters, index); }
    template <typename Ready>
    void wake(Index index, std::vector<Index>& scratch, Ready&& ready) {
        if (at(index).waiters == none) return;
        // The list is last come, first served; steps should start in the schedule's order.
        const std::size_t begin = scratch.size();
        for (Index i = std::exchange(at(index).waiters, none); i != none; i = at(i).next) scratch.push_back(i);
        const std::size_t end = scratch.size();
        std::sort(scratch.begin() + static_cast<std::ptrdiff_t>(begin), scratch.end());
        for (std::size_t i = begin; i < end; ++i)
            if (const Index step = scratch[i]; may_start(step)) ready(step);
        scratch.resize(begin);
    }

    // Precondition: index > end_ - view_, which is so far back as the ring keeps at least.
    const Live& dropped(Index index) const {
        const Index back = low_ - index;
        return window_[static_cast<std::size_t>(back <= head_ ? head_ - back : head_ + room_ - back)];
    }
    std::size_t place(Index index) const {
        const Index from_head = head_ + (index - low_);
        return static_cast<std::size_t>(from_head < room_ ? from_head : from_head - room_);
    }

    static constexpr std::align_val_t alignment{alignof(Live)};
    struct Freed {
        void operator()(Live* window) const { ::operator delete(window, alignment); }
    };
    // A ring with room for all that can be in view; memory that no step has been in is not touched.
    std::unique_ptr<Live[], Freed> window_;
    Index room_ = 0, head_ = 0;  // where the step `low_` is
    Index low_ = 0, end_ = 0, base_ = 0, view_ = 0;
    Time chain_ = 0;
    Index limit_ = none, gap_ = 0, next_gap_ = none, kept_ = 0;
    std::vector<Lane> lanes_;
    std::optional<collectives::Steps> steps_;
};

}  // namespace kumihimo::simulator
