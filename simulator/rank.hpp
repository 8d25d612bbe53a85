// One rank's schedule while it runs, under the rules of collectives/schedule.hpp: some steps in view, each starts when those
// that it waits for are complete, and messages of one lane (peer, channel, direction) start in the schedule's order.
//
// A step that waits stands in the list of one step that it waits for, so that whatever completes wakes only those concerned.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/steps.hpp"

namespace kumihimo::simulator {

using Index = std::int32_t;  // of a step, counted over all calls
constexpr Index none = -1;

struct Live {
    enum class State : std::uint8_t { waiting, started, done };

    std::array<std::pair<Index, Index>, 3> after{};  // intervals
    collectives::Bytes bytes = 0;
    int peer = -1;
    std::uint8_t channel = 0;
    collectives::Action action = collectives::Action::copy;
    State state = State::waiting;
    Index previous = none;                   // of its lane
    Index waiters = none, waits_too = none;  // first of those that wait for this one; the next of those that wait for the same
    Index next = none;                       // in a queue
};

// Steps by index that are linked through Live::next.
struct Queue {
    Index first = none, last = none;
    bool empty() const { return first == none; }
};

class Rank {
public:
    Rank() : window_(16) {}

    void begin(collectives::Steps steps, std::size_t view) {
        steps_.emplace(std::move(steps));
        base_ = end_;
        view_ = static_cast<Index>(std::max<std::size_t>(view, collectives::least_window));
    }
    bool complete() const { return !steps_ && low_ == end_; }
    Index low() const { return low_; }

    // Calls ready(index) for each step that comes into view and can start, in order.
    template <typename Ready>
    void read(Ready&& ready) {
        while (steps_ && end_ - low_ < view_) {
            const collectives::Step* const step = steps_->next();
            if (step == nullptr) {
                steps_.reset();
                return;
            }
            if (end_ - low_ == static_cast<Index>(window_.size())) grow();
            append(*step);
            if (may_start(end_ - 1)) ready(end_ - 1);
        }
    }
    // A message has been started: the next of its lane may be.
    template <typename Ready>
    void started(Index index, Ready&& ready) {
        at(index).state = Live::State::started;
        if (lanes_waiting_ > 0) wake(index, ready);
    }
    template <typename Ready>
    void done(Index index, Ready&& ready) {
        Live& step = at(index);
        step.state = Live::State::done;
        if (is_message(step))
            if (const auto lane = lanes_.find(lane_of(step)); lane != lanes_.end() && lane->second == index) lanes_.erase(lane);
        wake(index, ready);
        while (low_ < end_ && at(low_).state == Live::State::done) ++low_;
        read(ready);
    }

    Live& at(Index index) { return window_[static_cast<std::size_t>(index) & (window_.size() - 1)]; }
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
    static std::uint64_t lane_of(const Live& step) {
        return (static_cast<std::uint64_t>(step.peer) * collectives::channels + step.channel) * 2 +
               (step.action == collectives::Action::send);
    }

    void append(const collectives::Step& step) {
        Live& live = window_[static_cast<std::size_t>(end_) & (window_.size() - 1)];
        live = {};
        for (std::size_t i = 0; i < live.after.size(); ++i) {
            const collectives::Interval& interval = step.after.intervals[i];
            live.after[i] = interval.empty() ? std::pair{0, -1}
                                             : std::pair{base_ + static_cast<Index>(interval.first),
                                                         base_ + static_cast<Index>(interval.last)};
        }
        live.bytes = step.action == collectives::Action::receive ? step.to.bytes : step.from.bytes;
        live.peer = step.peer;
        live.channel = static_cast<std::uint8_t>(step.channel);
        live.action = step.action;
        if (is_message(live)) {
            const auto [lane, is_new] = lanes_.try_emplace(lane_of(live), end_);
            if (!is_new) live.previous = std::exchange(lane->second, end_);
        }
        ++end_;
    }

    // Whether all is there; else it is put into the list of what it waits for.
    bool may_start(Index index) {
        Live& step = at(index);
        for (auto& [first, last] : step.after)
            for (first = std::max(first, low_); first <= last; ++first)
                if (at(first).state != Live::State::done) return wait(index, first), false;
        if (step.previous >= low_ && at(step.previous).state == Live::State::waiting) {
            ++lanes_waiting_;
            return wait(index, step.previous), false;
        }
        return true;
    }
    void wait(Index index, Index for_what) { at(index).waits_too = std::exchange(at(for_what).waiters, index); }
    template <typename Ready>
    void wake(Index index, Ready&& ready) {
        // The list is last come, first served; steps should start in the schedule's order.
        woken_.clear();
        for (Index i = std::exchange(at(index).waiters, none); i != none; i = at(i).waits_too) woken_.push_back(i);
        std::sort(woken_.begin(), woken_.end());
        const std::vector<Index> now = woken_;
        for (const Index i : now)
            if (may_start(i)) ready(i);
    }

    void grow() {
        std::vector<Live> wider(2 * window_.size());
        for (Index i = low_; i < end_; ++i) wider[static_cast<std::size_t>(i) & (wider.size() - 1)] = at(i);
        window_.swap(wider);
    }

    std::optional<collectives::Steps> steps_;
    std::vector<Live> window_;
    std::vector<Index> woken_;
    absl::flat_hash_map<std::uint64_t, Index> lanes_;  // the last message of each that is in view
    Index low_ = 0, end_ = 0, base_ = 0, view_ = 0;
    int lanes_waiting_ = 0;
};

}  // namespace kumihimo::simulator
