// What the members of a group tell each other through memory that all of them reach, a few bytes each, in a fraction of a
// microsecond. Each member has a place of two slots, which it writes and the others read.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/completion.hpp"
#include "base/two_slots.hpp"

namespace kumihimo::base {

class Noticeboard {
public:
    static std::size_t place_bytes(std::size_t most_bytes) { return TwoSlots::size(most_bytes); }

    Noticeboard() = default;
    // places: of every member, place_bytes(most_bytes) of zeros at first.
    Noticeboard(std::vector<TwoSlots*> places, int me, std::size_t most_bytes)
        : places_(std::move(places)), me_(me), most_bytes_(most_bytes) {}
    bool is_open() const { return !places_.empty(); }

    // All members post each time, in the same order of calls; those await it who want it. Together collective.
    void post(const void* data, std::size_t bytes) {
        if (bytes > 0 && seen_ < number_) await_all();
        ++number_;
        if (bytes > 0) std::memcpy(place(me_).data(number_, bytes, most_bytes_), data, bytes);
        place(me_).show(number_);
    }
    // What a member has posted, until this one posts again. `expected`: of the time until it does.
    const std::byte* await(int member, std::size_t bytes, Waiting::Expected expected = Waiting::brief) const {
        TwoSlots& theirs = place(member);
        if (!theirs.shows(number_)) wait_for_memory([&] { return theirs.shows(number_); }, expected);
        return theirs.data(number_, bytes, most_bytes_);
    }
    void await_all() {
        for (int member = 0; member < members(); ++member) await(member, 0);
        all_seen();
    }
    void all_seen() { seen_ = number_; }  // this member has awaited every other one

    // Collective: one value of each member.
    template <typename Plain>
    std::vector<Plain> gather_all(const Plain& mine, Waiting::Expected expected = Waiting::brief) {
        static_assert(std::is_trivially_copyable_v<Plain>);
        post(&mine, sizeof mine);
        std::vector<Plain> all(places_.size());
        for (int member = 0; member < members(); ++member)
            std::memcpy(&all[static_cast<std::size_t>(member)], await(member, sizeof mine, expected), sizeof mine);
        all_seen();
        return all;
    }

private:
    int members() const { return static_cast<int>(places_.size()); }
    TwoSlots& place(int member) const { return *places_[static_cast<std::size_t>(member)]; }

    std::vector<TwoSlots*> places_;
    int me_ = 0;
    std::size_t most_bytes_ = 0;
    std::uint64_t number_ = 0;  // of the last post
    std::uint64_t seen_ = 0;    // the last one that all members were seen to have posted
};

}  // namespace kumihimo::base
