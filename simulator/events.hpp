// What is to happen, in order of time; what happens at the same time by rank, then by number. A heap of a million events misses
// the cache at each of its levels. Here they lie in a hierarchy of wheels (Varghese and Lauck, SOSP 1987): in order only those
// that are next, in 64 buckets of 16 ns those of the next us, in 64 of 1 us each beyond, and so on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <queue>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

struct Event {
    Time time;
    std::int32_t rank, step;
    std::uint64_t number;  // of the order in which they were pushed; its lowest bits are the owner's

    bool operator<(const Event& other) const {
        if (time != other.time) return time < other.time;
        if (rank != other.rank) return rank < other.rank;
        return number < other.number;
    }
    bool operator>(const Event& other) const { return other < *this; }
};

class Events {
public:
    bool empty() const { return size_ == 0; }

    // Precondition: not earlier than what was popped last. It may lie before what next() told.
    void push(const Event& event) {
        ++size_;
        if (slot_of(event.time) <= slot_)
            late_.push(event);
        else
            put(event);
    }
    // Precondition of both: not empty.
    Time next() {
        fill();
        return front_is_late() ? late_.top().time : now_[next_].time;
    }
    Event pop() {
        fill();
        --size_;
        if (!front_is_late()) return now_[next_++];
        const Event event = late_.top();
        late_.pop();
        return event;
    }
    // The event that is `ahead` pops away if nothing comes in between; null if it is not known yet.
    const Event* ahead(std::size_t ahead) const { return next_ + ahead < now_.size() ? &now_[next_ + ahead] : nullptr; }

private:
    static constexpr int granule_bits = 14, digit_bits = 6, levels = 9;
    static constexpr std::size_t enough = 48;
    static std::uint64_t slot_of(Time time) { return static_cast<std::uint64_t>(time) >> granule_bits; }

    bool front_is_late() const { return next_ == now_.size() || (!late_.empty() && late_.top() < now_[next_]); }
    void put(const Event& event) {
        const std::uint64_t slot = slot_of(event.time);
        const int level = (std::bit_width(slot ^ slot_) - 1) / digit_bits;
        const std::uint64_t digit = slot >> (level * digit_bits) & 63;
        std::vector<Event>& bucket = buckets_[at(level)][digit];
        if (bucket.capacity() == 0 && !spare_.empty()) {
            bucket.swap(spare_.back());
            spare_.pop_back();
        }
        bucket.push_back(event);
        occupied_[at(level)] |= std::uint64_t{1} << digit;
    }
    void fill() {
        if (now_.size() - next_ < enough) take_more();
    }
    // Takes the next bucket, and deals out those of wider wheels that lie before all others. Of narrow ones as many as make
    // some events: who is known to come soon can be fetched from memory.
    void take_more() {
        if (occupied_[0] != 0) take_narrow();
        while (next_ == now_.size() && late_.empty()) {
            now_.clear();
            next_ = 0;
            int level = 0;
            while (occupied_[at(level)] == 0) ++level;
            if (level == 0)
                take_narrow();
            else
                deal(level);
        }
    }
    void take_narrow() {
        now_.erase(now_.begin(), now_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
        while (now_.size() < 4 * enough && occupied_[0] != 0) {
            std::vector<Event>& bucket = next_bucket(0);
            std::sort(bucket.begin(), bucket.end());
            now_.insert(now_.end(), bucket.begin(), bucket.end());
            leave(bucket);
        }
    }
    // An empty bucket's memory goes to the next one that is filled: each would come to have as much as the fullest ever had.
    void leave(std::vector<Event>& bucket) {
        bucket.clear();
        spare_.emplace_back().swap(bucket);
    }
    std::vector<Event>& next_bucket(int level) {
        const int digit = std::countr_zero(occupied_[at(level)]), shift = level * digit_bits;
        occupied_[at(level)] &= occupied_[at(level)] - 1;
        slot_ = (slot_ >> shift >> digit_bits << digit_bits | static_cast<std::uint64_t>(digit)) << shift;
        return buckets_[at(level)][at(digit)];
    }
    void deal(int level) {
        std::vector<Event> dealt;
        dealt.swap(next_bucket(level));
        for (const Event& event : dealt)
            if (slot_of(event.time) == slot_)
                now_.push_back(event);
            else
                put(event);
        leave(dealt);
        std::sort(now_.begin(), now_.end());
    }
    static std::size_t at(int number) { return static_cast<std::size_t>(number); }

    std::array<std::array<std::vector<Event>, 64>, levels> buckets_;
    std::array<std::uint64_t, levels> occupied_{};
    std::vector<std::vector<Event>> spare_;                                // memory of empty buckets
    std::vector<Event> now_;                                               // in order, those up to the present slot
    std::priority_queue<Event, std::vector<Event>, std::greater<>> late_;  // those that came when their slot was here already
    std::size_t next_ = 0, size_ = 0;
    std::uint64_t slot_ = 0;
};

}  // namespace kumihimo::simulator
