// What a step is, without what becomes of it. Pipelines take the same steps for each piece, and ranks of a torus those of
// others: so steps that look alike, of whatever rank, share one description, which tells where other steps lie by how far back.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/schedule.hpp"

namespace kumihimo::simulator {

using Index = std::int32_t;  // of a step, counted over all calls
constexpr Index none = -1;

struct Description {
    // What it waits for, from so far back to so far back; 0 to 0: nothing, nor any further.
    std::array<std::pair<Index, Index>, 3> after{};
    Index previous = 0;  // of its lane, so far back; 0: none
    std::uint8_t channel = 0;
    collectives::Action action = collectives::Action::copy;
    bool fresh = false;  // a send of what this rank has just computed or received
    collectives::Bytes bytes = 0;

    bool operator==(const Description&) const = default;
    template <typename Hash>
    friend Hash AbslHashValue(Hash hash, const Description& one) {
        return Hash::combine(std::move(hash), one.after, one.previous, one.channel, one.action, one.fresh, one.bytes);
    }
};

class Descriptions {
public:
    using Number = std::uint32_t;
    static constexpr int bits = 28;  // of numbers

    const Description& operator[](Number number) const { return all_[number].one; }
    std::size_t size() const { return all_.size(); }  // those that are remembered, and free places

    // Its number, for one step more. like: of the step before, since what came after such a one mostly comes again.
    Number add(const Description& one, Number like) {
        if (like < all_.size()) {
            const Number next = all_[like].next;
            if (all_[next].one == one) return ++all_[next].steps, next;
        }
        const Number number = find(one);
        ++all_[number].steps;
        if (like < all_.size()) all_[like].next = number;
        return number;
    }
    // A step that had it is no more.
    void drop(Number number) {
        if (--all_[number].steps == 0) ++idle_;
    }

private:
    struct Entry {
        Description one;
        std::int32_t steps = 0;
        Number next = 0;
    };

    Number find(const Description& one) {
        if (const auto found = numbers_.find(one); found != numbers_.end()) return found->second;
        if (free_.empty() && idle_ > all_.size() / 2 + 1024) forget_idle();
        Number number = static_cast<Number>(all_.size());
        if (free_.empty()) {
            all_.push_back({one});
        } else {
            number = free_.back();
            free_.pop_back();
            all_[number].one = one;
        }
        numbers_.emplace(one, number);
        return number;
    }
    void forget_idle() {
        for (Number number = 0; number < all_.size(); ++number)
            if (all_[number].steps == 0) {
                numbers_.erase(all_[number].one);
                all_[number].one.bytes = -1;  // no step's
                free_.push_back(number);
            }
        idle_ = 0;
    }

    std::vector<Entry> all_;
    absl::flat_hash_map<Description, Number> numbers_;
    std::vector<Number> free_;
    std::size_t idle_ = 0;  // how often one fell out of use since the last look
};

}  // namespace kumihimo::simulator
