// One rank's schedule while it runs, under the rules of collectives/schedule.hpp: some steps in view, each starts when those
// that it waits for are complete, and messages of one lane (peer, channel, direction) start in the schedule's order.
//
// A step that waits stands in the list of the first step that it waits for, so that whatever completes wakes only those
// concerned. Much of a run's time goes by fetching ranks from memory: a step is half a line of it, and what runs next can be
// fetched before.
//
// Beside the run each step keeps its chain: how long what it waits for, and itself, would have taken if nothing were shared,
// neither links nor processors. That does not depend on the order in which steps run.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/steps.hpp"
#include "simulator/descriptions.hpp"
#include "simulator/machine.hpp"
#include "simulator/rooms.hpp"

namespace kumihimo::simulator {

// Begins to fetch so many bytes from memory.
inline void fetch(const void* place, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(place) + i);
}

// Half a line of memory.
struct alignas(32) Live {
    enum class State : std::uint8_t { waiting, posted, started, done };

    Time chain = 0;  // to what has been done of this step
    std::int32_t peer = -1;
    Index waiters = none;  // first of those that wait for this one
    Index next = none;     // in that list while it waits, then in a queue
    Descriptions::Number description : Descriptions::bits = 0;
    State state : 2 = State::waiting;
    bool followed : 1 = false;  // the next of its lane waits until it has started
    bool fresh : 1 = false;     // a receive of what the sender has just computed or received

    // While it waits: all before this step are there. Of those that it waits for.
    Index there_before() const { return static_cast<Index>(time_); }
    void wait_for(Index step) { time_ = step; }
    void start() { state = State::started, time_ = chain; }
    // A receive that waits for its message, and since when. match(): it has one.
    void post(Time time) { state = State::posted, time_ = time; }
    Time posted() const { return time_; }
    void match() { start(); }
    // The chain to where a message started.
    Time chain_to_start() const { return state == State::posted ? chain : time_; }

private:
    Time time_ = 0;
};
static_assert(sizeof(Live) == 32);

// What all ranks have in common. scratch: what lies in it stays.
struct Common {
    Descriptions descriptions;
    Rooms<Live> rooms;
    std::vector<Index> scratch;
};

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
    }
    bool complete() const { return low_ == end_ && !steps_; }
    Index low() const { return low_; }
    Index seen() const { return end_; }
    // Of all steps before low(). From now on chains begin anew.
    Time chain() const { return chain_; }
    void restart_chain() { chain_ = 0; }

    // Ends the schedule with this step. Precondition: none beyond has been seen.
    void end_before(Index step) { limit_ = step; }
    // Leaves out `gap` steps before step `first`, and again after every `kept` ones, so many times. Those that are left are
    // numbered without them, so that a step behind a gap waits for those that now lie so far before it.
    void leave_out(Index gap, Index first, Index kept, std::int64_t times) {
        gap_ = gap, next_gap_ = times > 0 ? first : none, kept_ = kept, gaps_ = times;
    }

    // Calls ready(index) for each step that comes into view and can start, in order.
    template <typename Ready>
    void read(Common& common, Ready&& ready) {
        while (end_ - low_ < view_) {
            const collectives::Step* const step = next();
            if (step == nullptr) {
                steps_.reset();
                view_ = 0;
                return;
            }
            append(*step, common);
            if (may_start(end_ - 1, common.descriptions)) ready(end_ - 1);
        }
    }
    // A message has been started: the next of its lane may be.
    template <typename Ready>
    void started(Index index, Common& common, Ready&& ready) {
        Live& step = at(index);
        if (step.state == Live::State::waiting) step.start();
        if (step.followed) wake(index, common, ready);
    }
    template <typename Ready>
    void done(Index index, Common& common, Ready&& ready) {
        at(index).state = Live::State::done;
        wake(index, common, ready);
        while (low_ < end_ && at(low_).state == Live::State::done) {
            chain_ = std::max(chain_, at(low_).chain);
            common.descriptions.drop(at(low_).description);
            if (++low_ + offset_ == room_) offset_ -= room_;
            read(common, ready);
        }
    }

    Live& at(Index index) { return window_[place(index)]; }
    // Two stages of fetching from memory what an event of this step will touch, and what done(index) will; the second one reads
    // what the first one fetched.
    void prefetch(Index index, bool ends) const {
        __builtin_prefetch(&window_[place(index)]);
        if (!ends) return;
        __builtin_prefetch(&window_[place(low_)]);
        __builtin_prefetch(lanes_.data());
    }
    const Live& prefetch_behind(Index index, bool ends) const {
        const Live& step = window_[place(index)];
        if (step.waiters != none) __builtin_prefetch(&window_[place(step.waiters)]);
        if (ends && view_ > 0 && end_ - low_ < room_) __builtin_prefetch(&window_[place(end_)]);
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
    static bool is_message(const collectives::Step& step) {
        return step.action == collectives::Action::send || step.action == collectives::Action::receive;
    }

private:
    const collectives::Step* next() {
        if (end_ == limit_) return nullptr;
        if (end_ == next_gap_) {
            for (Index i = 0; i < gap_; ++i)
                if (steps_->next() == nullptr) return nullptr;
            base_ -= gap_;
            next_gap_ = --gaps_ > 0 ? next_gap_ + kept_ : none;
        }
        return steps_->next();
    }

    // The last message of a peer, channel and direction. The lanes of the window's steps lie in a table, each at or behind the
    // place that its hash tells. Others take the places of those that have left the window.
    struct Lane {
        std::uint32_t which = 0;
        Index last = none;
    };
    static std::uint32_t lane_of(const collectives::Step& step) {
        return (static_cast<std::uint32_t>(step.peer) * collectives::channels + static_cast<std::uint32_t>(step.channel)) * 2 +
               (step.action == collectives::Action::send);
    }
    // The message of this lane before the one that enters it; none if that is complete.
    Index enter_lane(std::uint32_t which, Index index) {
        if (4 * lanes_used_ >= 3 * lanes_.size()) renew_lanes();
        Lane* left = nullptr;
        for (std::size_t place = lane_place(which); true; place = (place + 1) & (lanes_.size() - 1)) {
            Lane& lane = lanes_[place];
            if (lane.last == none) {
                lanes_used_ += left == nullptr;
                *(left == nullptr ? &lane : left) = {which, index};
                return none;
            }
            if (lane.which == which) {
                const Index last = std::exchange(lane.last, index);
                return last < low_ || at(last).state == Live::State::done ? none : last;
            }
            if (left == nullptr && lane.last < low_) left = &lane;
        }
    }
    std::size_t lane_place(std::uint32_t which) const {
        constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
        return (which * golden_ratio >> 32) & (lanes_.size() - 1);
    }
    // Twice as many places as are in use, and no others than those of the window.
    void renew_lanes() {
        const std::vector<Lane> before = std::move(lanes_);
        const auto stays = [&](const Lane& lane) { return lane.last >= low_ && lane.last != none; };
        lanes_used_ = static_cast<std::size_t>(std::count_if(before.begin(), before.end(), stays));
        lanes_.assign(std::bit_ceil(std::max<std::size_t>(2 * lanes_used_, 8)), Lane());
        for (const Lane& lane : before) {
            if (!stays(lane)) continue;
            std::size_t place = lane_place(lane.which);
            while (lanes_[place].last != none) place = (place + 1) & (lanes_.size() - 1);
            lanes_[place] = lane;
        }
    }

    // All steps before low_ are in its chain, and nobody waits for them any more.
    void append(const collectives::Step& step, Common& common) {
        if (end_ - low_ == room_) grow(common.rooms);
        Description one;
        for (std::size_t i = 0; i < one.after.size() && !step.after.intervals[i].empty(); ++i)
            one.after[i] = {end_ - base_ - static_cast<Index>(step.after.intervals[i].first),
                            end_ - base_ - static_cast<Index>(step.after.intervals[i].last)};
        one.bytes = step.action == collectives::Action::receive ? step.to.bytes : step.from.bytes;
        one.channel = static_cast<std::uint8_t>(step.channel);
        one.action = step.action;
        // Nobody writes the user's send buffer; what else waits for nothing has lain there before, too.
        one.fresh =
            step.action == collectives::Action::send && step.from.buffer != collectives::Buffer::send && !step.after.empty();
        if (is_message(step))
            if (const Index previous = enter_lane(lane_of(step), end_); previous != none) one.previous = end_ - previous;
        last_ = common.descriptions.add(one, last_);
        Live& live = at(end_);
        live = Live();
        live.chain = chain_;
        live.peer = step.peer;
        live.description = last_ & ((Descriptions::Number{1} << Descriptions::bits) - 1);
        live.wait_for(low_);
        ++end_;
    }

    // Whether all is there; else it is put into the list of the first that is missing, so that none of them leaves the window
    // before its chain is known.
    bool may_start(Index index, const Descriptions& descriptions) {
        Live& step = at(index);
        const Description& what = descriptions[step.description];
        for (Index from = step.there_before(); true; ++from) {
            // The first from there on, or this step itself where there is none.
            Index first = index;
            bool complete = false;
            for (const auto& [far, near] : what.after) {
                if (far == 0) break;
                if (index - near >= from && std::max(from, index - far) <= first)
                    first = std::max(from, index - far), complete = true;
            }
            if (what.previous > 0 && index - what.previous >= from && index - what.previous <= first) {
                complete &= index - what.previous == first;
                first = index - what.previous;
                Live& previous = at(first);
                if (previous.state == Live::State::waiting) {
                    previous.followed = true;
                    return wait(index, first), false;
                }
                step.chain = std::max(step.chain, previous.chain_to_start());
            }
            if (first == index) return true;
            if (complete) {
                const Live& other = at(first);
                if (other.state != Live::State::done) return wait(index, first), false;
                step.chain = std::max(step.chain, other.chain);
            }
            from = first;
        }
    }
    void wait(Index index, Index for_what) {
        Live& step = at(index);
        step.wait_for(for_what);
        step.next = std::exchange(at(for_what).waiters, index);
    }
    template <typename Ready>
    void wake(Index index, Common& common, Ready&& ready) {
        if (at(index).waiters == none) return;
        const Index first = std::exchange(at(index).waiters, none);
        if (at(first).next == none) {
            if (may_start(first, common.descriptions)) ready(first);
            return;
        }
        // The list is last come, first served; steps should start in the schedule's order.
        std::vector<Index>& scratch = common.scratch;
        const std::size_t begin = scratch.size();
        for (Index i = first; i != none; i = at(i).next) scratch.push_back(i);
        const std::size_t end = scratch.size();
        std::sort(scratch.begin() + static_cast<std::ptrdiff_t>(begin), scratch.end());
        for (std::size_t i = begin; i < end; ++i)
            if (const Index step = scratch[i]; may_start(step, common.descriptions)) ready(step);
        scratch.resize(begin);
    }

    std::size_t place(Index index) const {
        const Index place = index + offset_;
        return static_cast<std::size_t>(place < room_ ? place : place - room_);
    }

    void grow(Rooms<Live>& rooms) {
        const Index room = std::min(std::max(2 * room_, Index{collectives::least_window}), std::max(view_, room_ + 1));
        Live* const window = rooms.take(static_cast<std::size_t>(room));
        const Index first = low_ + offset_,
                    behind = room_ - first;  // steps that lie there in one piece; the others before them
        std::copy_n(window_ + first, behind, window);
        std::copy_n(window_, first, window + behind);
        if (room_ > 0) rooms.leave(window_, static_cast<std::size_t>(room_));
        window_ = window, room_ = room, offset_ = -low_;
    }

    // What most events need comes first.
    Live* window_ = nullptr;       // a ring
    Index room_ = 0, offset_ = 0;  // step i lies at i + offset_, or a round before that
    Index low_ = 0, end_ = 0;
    Time chain_ = 0;
    Index view_ = 0;  // none where the schedule is at its end
    Index base_ = 0;
    Descriptions::Number last_ = ~Descriptions::Number{0};  // what came into view last
    Index limit_ = none, gap_ = 0, next_gap_ = none, kept_ = 0;
    std::int64_t gaps_ = 0;    // that are to come
    std::vector<Lane> lanes_;  // a power of two
    std::size_t lanes_used_ = 0;
    std::optional<collectives::Steps> steps_;
};

}  // namespace kumihimo::simulator
