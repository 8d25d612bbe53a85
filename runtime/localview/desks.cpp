#include "runtime/localview/desks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "runtime/localview/barriers.hpp"
#include "runtime/localview/waiting.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::localview {

using execution::Context;
using execution::NodeSet;

// The steps of a set, and a number for the set, of its members' numbers: so its steps have stamps of their own.
struct StepsMade {
    std::int64_t steps = 0;
    std::uint64_t name = 0;
};

namespace {

// Who may still read what a place of mine shows: the members of a set, until they have left the step with these counts.
struct Readers {
    const NodeSet* set = nullptr;  // null: nobody
    std::vector<std::int64_t> counts;
};

constexpr std::size_t cache_line = 64, stamp_bytes = sizeof(std::uint64_t);

struct Desks {
    std::unique_ptr<memory::Segment> segment;
    std::unordered_map<const NodeSet*, StepsMade> made;  // by each set: the same on all members
    Readers readers[2];
    static Desks& get() {
        static auto& desks = *new Desks;
        return desks;
    }
};

std::byte* place_of(int node, std::size_t place) {
    return Desks::get().segment->direct(node) + place * (cache_line + place_bytes);
}

std::atomic_ref<std::uint64_t> stamp_of(std::byte* place) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(place));
}

// A set's first collective gives it its number.
StepsMade& made_by(const NodeSet& set) {
    StepsMade& made = Desks::get().made[&set];
    if (made.name == 0) made.name = base::hash_of(std::as_bytes(std::span(set.world_ranks())));
    return made;
}

std::uint64_t stamp_of_step(const StepsMade& made) {
    return made.name + static_cast<std::uint64_t>(made.steps);
}

bool gone(int node) {
    return failure_of(node) != Failure::none || has_ended(node);
}

void await_readers(Readers& readers) {
    if (readers.set == nullptr) return;
    const std::vector<int>& nodes = readers.set->world_ranks();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto done = [&] { return left_by(nodes[i]) >= readers.counts[i]; };
        if (nodes[i] != this_image() && !done()) wait_until([&] { return done() || gone(nodes[i]); });
    }
    readers.set = nullptr;
}

}  // namespace

void open_desks() {
    Desks& desks = Desks::get();
    if (desks.segment == nullptr)
        desks.segment = memory::Segment::allocate(Context::get().world_communicator(), 2 * (cache_line + place_bytes), "desks");
}

void close_desks() {
    Desks::get() = Desks{};
}

bool share_desks(const NodeSet& set) {
    const Desks& desks = Desks::get();
    return desks.segment != nullptr && std::all_of(set.world_ranks().begin(), set.world_ranks().end(),
                                                   [&](int node) { return desks.segment->direct(node) != nullptr; });
}

Steps::Steps(const NodeSet& set, std::int64_t steps, std::size_t bytes)
    : set_(set),
      made_(made_by(set)),
      left_(steps),
      end_(made_.steps + steps),
      place_(static_cast<std::size_t>(made_.steps % 2)),
      begin_(bytes <= cache_line - stamp_bytes ? stamp_bytes : cache_line) {
    if (cannot_be_relied_on(set)) abandon();
}

Steps::~Steps() {
    if (left_ > 0) go_past();  // left in an exception
}

std::byte* Steps::mine() {
    await_readers(Desks::get().readers[place_]);
    shows_ = true;
    return place_of(this_image(), place_) + begin_;
}

void Steps::enter() {
    Desks& desks = Desks::get();
    Readers& readers = desks.readers[place_];
    readers.set = &set_;
    readers.counts.resize(static_cast<std::size_t>(set_.size()));
    if (std::exchange(shows_, false))
        stamp_of(place_of(this_image(), place_)).store(stamp_of_step(made_), std::memory_order_release);
    enter_barrier(set_);
    for (int member = 0; member < set_.size(); ++member)
        readers.counts[static_cast<std::size_t>(member)] = barrier_with(set_.world_rank(member));
    --left_;
}

// One that failed later than it came is not missed here: so all members find the same. The counts, which say so, are another
// cache line than the stamp, so they are seldom looked at.
const std::byte* Steps::await(int member) {
    constexpr unsigned looks_between = 64;
    const int node = set_.world_rank(member);
    std::byte* const place = place_of(node, place_);
    const auto shown = [&] { return stamp_of(place).load(std::memory_order_acquire) == stamp_of_step(made_); };
    if (node != this_image() && !shown()) {
        unsigned looks = 0;
        wait_until([&] { return shown() || (++looks % looks_between == 0 && (came(node) || missing(node))); });
        if (!shown() && (!came(node) || skipped_by(node, barrier_with(node)))) abandon();
    }
    return place + begin_;
}

void Steps::await_all() {
    for (int member = 0; member < set_.size(); ++member) await(member);
    Readers& before = Desks::get().readers[1 - place_];
    if (before.set == &set_) before.set = nullptr;  // who has entered this step has left the one before
}

void Steps::leave() {
    leave_step(set_);
    ++made_.steps;
    place_ = 1 - place_;
}

// Members that come to the rest of the steps must not take this one for there.
void Steps::go_past() {
    skip_steps(set_, left_);
    left_ = 0;
    leave_step(set_);
    made_.steps = end_;
}

// It waits until the others have left as well: what it says of the steps that it skipped stays until nobody asks any more. Why
// it leaves is known here, since whoever skipped a step has passed that on before.
void Steps::abandon() {
    const bool known = cannot_be_relied_on(set_);
    pass_on_absences();
    go_past();
    for (const int node : set_.world_ranks()) {
        const auto left = [&] { return left_by(node) >= barrier_with(node) || gone(node); };
        if (node != this_image()) wait_until(left);
    }
    if (!known)
        throw base::Error("another image has left this collective subroutine because of an error",
                          "Look for that image's message.");
    throw Missing(absence_in(set_.world_ranks()));
}

}  // namespace kumihimo::localview
