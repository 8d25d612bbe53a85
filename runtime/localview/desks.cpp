#include "runtime/localview/desks.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "runtime/localview/barriers.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/mailbox.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::localview {

namespace {

using execution::Context;
using execution::NodeSet;

// Who may still read what a place of mine shows: the members of a set, until they have left the step with these counts.
struct Readers {
    const NodeSet* set = nullptr;  // null: nobody
    std::vector<std::int64_t> counts;
};

struct Desks {
    std::unique_ptr<memory::Segment> segment;
    std::unordered_map<const NodeSet*, std::int64_t> steps;  // that each set has made: the same on all members
    Readers readers[2];
    static Desks& get() {
        static auto& desks = *new Desks;
        return desks;
    }
};

std::byte* place_of(int node, std::size_t place) {
    return Desks::get().segment->direct(node) + place * place_bytes;
}

bool gone(int node) {
    return failure_of(node) != Failure::none || has_ended(node);
}

void await_readers(Readers& readers) {
    if (readers.set == nullptr) return;
    const std::vector<int>& nodes = readers.set->world_ranks();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto done = [&] { return left_by(nodes[i]) >= readers.counts[i]; };
        if (nodes[i] != Context::get().world_rank() && !done()) wait_until([&] { return done() || gone(nodes[i]); });
    }
    readers.set = nullptr;
}

}  // namespace

void open_desks() {
    Desks& desks = Desks::get();
    if (desks.segment == nullptr)
        desks.segment = memory::Segment::allocate(Context::get().world_communicator(), 2 * place_bytes, "desks");
}

void close_desks() {
    Desks::get() = Desks{};
}

bool share_desks(const NodeSet& set) {
    const Desks& desks = Desks::get();
    return desks.segment != nullptr && std::all_of(set.world_ranks().begin(), set.world_ranks().end(),
                                                   [&](int node) { return desks.segment->direct(node) != nullptr; });
}

Steps::Steps(const NodeSet& set, std::int64_t steps) : set_(set), left_(steps) {
    const std::int64_t before = Desks::get().steps[&set];
    end_ = before + steps;
    place_ = static_cast<std::size_t>(before % 2);
    if (cannot_be_relied_on(set)) abandon();
}

Steps::~Steps() {
    if (left_ > 0) go_past();  // left in an exception
}

std::byte* Steps::mine() {
    await_readers(Desks::get().readers[place_]);
    return place_of(Context::get().world_rank(), place_);
}

void Steps::enter() {
    Desks& desks = Desks::get();
    Readers& readers = desks.readers[place_];
    readers.set = &set_;
    readers.counts.resize(static_cast<std::size_t>(set_.size()));
    enter_barrier(set_);
    for (int member = 0; member < set_.size(); ++member)
        readers.counts[static_cast<std::size_t>(member)] = barrier_with(set_.world_rank(member));
    --left_;
}

// One that failed later than it came is not missed here: so all members find the same.
const std::byte* Steps::await(int member) {
    const int node = set_.world_rank(member);
    if (node != Context::get().world_rank()) {
        if (!came(node)) wait_until([&] { return came(node) || missing(node); });
        if (!came(node) || skipped_by(node, barrier_with(node))) abandon();
    }
    return place_of(node, place_);
}

void Steps::await_all() {
    for (int member = 0; member < set_.size(); ++member) await(member);
    Readers& before = Desks::get().readers[1 - place_];
    if (before.set == &set_) before.set = nullptr;  // who has entered this step has left the one before
}

void Steps::leave() {
    leave_step(set_);
    ++Desks::get().steps[&set_];
    place_ = 1 - place_;
}

// Members that come to the rest of the steps must not take this one for there.
void Steps::go_past() {
    skip_steps(set_, left_);
    left_ = 0;
    leave_step(set_);
    Desks::get().steps[&set_] = end_;
}

// It waits until the others have left as well: what it says of the steps that it skipped stays until nobody asks any more. Why
// it leaves is known here, since whoever skipped a step has passed that on before.
void Steps::abandon() {
    const bool known = cannot_be_relied_on(set_);
    pass_on_absences();
    go_past();
    for (const int node : set_.world_ranks()) {
        const auto left = [&] { return left_by(node) >= barrier_with(node) || gone(node); };
        if (node != Context::get().world_rank()) wait_until(left);
    }
    if (!known)
        throw base::Error("another image has left this collective subroutine because of an error",
                          "Look for that image's message.");
    throw Missing{absence_in(set_.world_ranks())};
}

}  // namespace kumihimo::localview
