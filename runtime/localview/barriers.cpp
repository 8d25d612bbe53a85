#include "runtime/localview/barriers.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/localview/waiting.hpp"

namespace kumihimo::localview {

using execution::NodeSet;

std::int64_t barrier_with(int node) {
    return entered_with(node).load(std::memory_order_relaxed);
}

namespace {

void count_barriers(const NodeSet& set, std::int64_t count) {
    for (const int node : set.world_ranks()) entered_with(node).store(barrier_with(node) + count, std::memory_order_release);
}

}  // namespace

void enter_barrier(const NodeSet& set) {
    count_barriers(set, 1);
}

void skip_steps(const NodeSet& set, std::int64_t count) {
    for (const int node : set.world_ranks()) note_skipped(node, barrier_with(node) + 1, barrier_with(node) + count);
    count_barriers(set, count);
}

void leave_step(const NodeSet& set) {
    for (const int node : set.world_ranks()) note_left(node, barrier_with(node));
}

bool came(int node) {
    return node == this_image() || entered_by(node) >= barrier_with(node);
}

namespace {

// How an image's end shows: 1 + the barriers that it has entered with this image. It may have ended since it left this barrier.
bool ended_before(int node) {
    const std::int64_t ended = told(Counter::ended, node);
    return ended != 0 && ended - 1 < barrier_with(node);
}

}  // namespace

bool missing(int node) {
    return node != this_image() && (has_failed(node) || ended_before(node));
}

// One that failed may have entered, and left the barrier to others in the middle of it.
bool cannot_be_relied_on(const NodeSet& set) {
    if (!somebody_ended() && !somebody_failed()) return false;
    return std::any_of(set.world_ranks().begin(), set.world_ranks().end(),
                       [](int node) { return missing(node) || failure_of(node) != Failure::none; });
}

namespace {

// Barrier by dissemination: in round k everyone hears, directly or not, from the 2^k members before it. False: a member may be
// missing. A signal may come from a later barrier, of one that left this one without a member: then it is known here as well.
bool disseminate(const NodeSet& set) {
    for (int distance = 1; distance < set.size(); distance *= 2) {
        const int to = set.world_rank((set.my_number() + distance) % set.size());
        const int from = set.world_rank((set.my_number() + set.size() - distance) % set.size());
        tell(to, Counter::signalled, this_image(), barrier_with(to));
        const auto heard = [&] { return told(Counter::signalled, from) >= barrier_with(from); };
        wait_until([&] { return heard() || cannot_be_relied_on(set); });
        if (!heard()) return false;
    }
    return !cannot_be_relied_on(set);
}

enum class Verdict { unknown, came, missing };

// Between machines nobody can look how far an image has come that has died, and its last messages may have reached some images
// and not others. But one that completed the barrier by dissemination proves that all came; and whoever learns of the death
// tells the others what it had completed by then, and completes nothing more with that image. One that has died since may have
// told that to some only: they tell it again, and nobody decides before all have spoken who know of the same deaths.
Verdict verdict_of_others(const NodeSet& set, int died) {
    Death* const death = death_of(died);
    if (death == nullptr) return Verdict::unknown;
    if (death->completed[static_cast<std::size_t>(died)] >= barrier_with(died)) return Verdict::came;
    Verdict verdict = Verdict::missing;
    for (const int node : set.world_ranks()) {
        if (node == this_image() || failure_of(node) == Failure::died) continue;
        if (completed_by(node, died).value_or(0) >= barrier_with(node)) {
            for (const int other : set.world_ranks()) death->completed[static_cast<std::size_t>(other)] = barrier_with(other);
            return Verdict::came;
        }
        if (!has_told_of_all_deaths(node)) verdict = Verdict::unknown;
    }
    return verdict;
}

Verdict verdict(const NodeSet& set, int node, bool spread) {
    if (spread && failure_of(node) == Failure::died) return verdict_of_others(set, node);
    if (came(node)) return Verdict::came;
    return missing(node) ? Verdict::missing : Verdict::unknown;
}

bool over_machines(const NodeSet& set) {
    return has_far_images() && std::any_of(set.world_ranks().begin(), set.world_ranks().end(), is_far);
}

// Each member for itself: it came to this barrier, or will never come. All who ask get the same answers; members that have left
// the barrier already, by dissemination, need not know of it. Returns those that did not come.
std::vector<int> await_each(const NodeSet& set) {
    for (const int node : set.world_ranks())
        if (node != this_image()) tell_entry(node);
    const bool spread = over_machines(set);
    for (;;) {
        const int failures_before = failures();
        std::vector<int> absent;
        for (const int node : set.world_ranks()) {
            Verdict found = Verdict::unknown;
            wait_until([&] { return (found = verdict(set, node, spread)) != Verdict::unknown; });
            if (found == Verdict::missing) absent.push_back(node);
        }
        if (!absent.empty()) pass_on_absences();
        if (spread && failures() != failures_before) continue;
        return absent;
    }
}

// A barrier that is completed is noted where others may ask, also where all that are missing have died: what this image had
// completed when it learned of that was told before.
void note_completed(const NodeSet& set, const std::vector<int>& absent) {
    const auto died = [](int node) { return failure_of(node) == Failure::died; };
    if (has_far_images() && std::all_of(absent.begin(), absent.end(), died)) leave_step(set);
}

}  // namespace

std::vector<int> complete_barrier(const NodeSet& set, bool disseminating) {
    std::vector<int> absent;
    if (!disseminating || !disseminate(set)) absent = await_each(set);
    note_completed(set, absent);
    return absent;
}

std::vector<int> meet(const NodeSet& set) {
    enter_barrier(set);
    return complete_barrier(set);
}

bool never_comes(const NodeSet& set) {
    if (!somebody_ended() && !somebody_failed()) return false;
    return std::any_of(set.world_ranks().begin(), set.world_ranks().end(),
                       [](int node) { return failure_of(node) == Failure::died || (missing(node) && !came(node)); });
}

}  // namespace kumihimo::localview
