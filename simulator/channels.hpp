// Where both sides of a message find each other, in each channel in the schedule's order.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/schedule.hpp"
#include "simulator/descriptions.hpp"
#include "simulator/machine.hpp"

namespace kumihimo::simulator {

// A message that nobody has asked for yet is under way in one of these.
struct Flight {
    int to = -1;
    Index received = none;  // the receive that came while it was under way
    Time arrives = unknown;
    std::int32_t next = none;  // of its channel; free ones: the next of these
    std::uint32_t cause = 0;   // the event that sent it
    Time chain = 0;            // to its arrival
    bool fresh = false;        // its bytes have just been computed or received

    static constexpr Time unknown = -1;
};

class Flights {
public:
    Flight& operator[](std::int32_t number) { return all_[static_cast<std::size_t>(number)]; }
    std::int32_t take(int to, Index received) {
        if (free_ == none) {
            all_.push_back({to, received});
            return static_cast<std::int32_t>(all_.size()) - 1;
        }
        const std::int32_t number = free_;
        free_ = std::exchange((*this)[number], {to, received}).next;
        return number;
    }
    void release(std::int32_t number) { (*this)[number].next = std::exchange(free_, number); }

private:
    std::vector<Flight> all_;
    std::int32_t free_ = none;
};

// What one side of a channel has that the other has not yet: posted receives, sends that wait for their receives, or messages
// under way. Never two of these at the same time, since a channel keeps its order. They are linked: steps through Live::next,
// flights through Flight::next.
struct Channel {
    enum class Kind : std::uint8_t { posted, waiting, under_way } kind;
    std::int32_t first = none, last = none;

    // link(last): the last one gets a next.
    template <typename Link>
    void add(Kind what, std::int32_t one, Link&& link) {
        kind = what;
        if (first == none)
            first = one;
        else
            link(last);
        last = one;
    }
};

class Channels {
public:
    using Map = absl::flat_hash_map<std::uint64_t, Channel>;
    using Place = Map::iterator;

    explicit Channels(int ranks) : ranks_(static_cast<std::uint64_t>(ranks)) {}

    void prefetch(int from, int to, int channel) const { map_.prefetch(number(from, to, channel)); }
    // Null where neither side has anything.
    const Channel* find(int from, int to, int channel) const {
        const auto place = map_.find(number(from, to, channel));
        return place == map_.end() ? nullptr : &place->second;
    }
    // Where it is, and whether neither side had anything before.
    std::pair<Place, bool> at(int from, int to, int channel) { return map_.try_emplace(number(from, to, channel)); }
    // The first one has found its other side; next: the one behind it.
    void drop(Place place, std::int32_t next) {
        if (next == none)
            map_.erase(place);
        else
            place->second.first = next;
    }

private:
    std::uint64_t number(int from, int to, int channel) const {
        return (static_cast<std::uint64_t>(from) * ranks_ + static_cast<std::uint64_t>(to)) * collectives::channels +
               static_cast<std::uint64_t>(channel);
    }

    std::uint64_t ranks_;
    Map map_;
};

}  // namespace kumihimo::simulator
