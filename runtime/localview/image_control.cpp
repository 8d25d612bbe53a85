#include "runtime/localview/image_control.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/wait.hpp"
#include "kumihimo/xmp.h"
#include "runtime/localview/barriers.hpp"
#include "runtime/localview/coarrays.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/life.hpp"
#include "runtime/localview/mailbox.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"

namespace kumihimo::localview {

namespace {

using execution::Context;
using execution::NodeSet;
using execution::NodeSetPointer;

NodeSetPointer image_set;  // of an image directive that waits for its image control

// How often this image has synchronised with each image of the entire set.
struct Ledger {
    std::vector<std::int64_t> synced;
    bool ended = false;
    static Ledger& get() {
        static auto& ledger = *new Ledger;
        return ledger;
    }
};

int me() {
    return Context::get().world_rank();
}

}  // namespace

Missing::Missing(Absence reason)
    : base::Error(
          reason == Absence::failed ? "an image that is to take part has failed" : "an image that is to take part has stopped",
          "Give a stat= variable to handle this in the program."),
      absence(reason) {}

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
    return node == me() || entered_by(node) >= barrier_with(node);
}

namespace {

// How an image's end shows: 1 + the barriers that it has entered with this image. It may have ended since it left this barrier.
bool ended_before(int node) {
    const std::int64_t ended = told(Counter::ended, node);
    return ended != 0 && ended - 1 < barrier_with(node);
}

}  // namespace

bool missing(int node) {
    return node != me() && (has_failed(node) || ended_before(node));
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
        tell(to, Counter::signalled, me(), barrier_with(to));
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
        if (node == me() || failure_of(node) == Failure::died) continue;
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
        if (node != me()) tell_entry(node);
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

// Of a barrier that this image has entered. Returns those that did not come. `disseminating`: all may be there.
std::vector<int> complete_barrier(const NodeSet& set, bool disseminating = true) {
    std::vector<int> absent;
    if (!disseminating || !disseminate(set)) absent = await_each(set);
    note_completed(set, absent);
    return absent;
}

std::vector<int> meet(const NodeSet& set) {
    enter_barrier(set);
    return complete_barrier(set);
}

// One that failed or stopped by itself after it came does its part to the end.
bool never_comes(const NodeSet& set) {
    if (!somebody_ended() && !somebody_failed()) return false;
    return std::any_of(set.world_ranks().begin(), set.world_ranks().end(),
                       [](int node) { return failure_of(node) == Failure::died || (missing(node) && !came(node)); });
}

void check_member(const NodeSet& set) {
    if (!set.member())
        throw base::Error("this image is not one of those that are to be synchronised",
                          "An image directive must name a node array that contains the images which execute it.");
}

// The end of a synchronisation: the status that the user asked for, or the end of the job.
void report(Absence absence, int* status) {
    if (absence != Absence::none && status == nullptr)
        throw base::Error("an image that is to be synchronised has ended",
                          "Ask for the status (XMP_STAT_STOPPED_IMAGE) to go on without it.");
    if (status != nullptr) *status = absence == Absence::none ? XMP_STAT_SUCCESS : XMP_STAT_STOPPED_IMAGE;
}

// A program may wait by itself, in a loop over sync_memory: it must not keep the processor or MPI from others.
constexpr unsigned calls_between_looks = 1024;  // of 2 to 15 ns; a look takes 300

void look_after_others() {
    progress();
    if (base::processors_are_shared()) sched_yield();
}

void be_polite() {
    static unsigned calls = 0;
    if (has_far_images() || ++calls % calls_between_looks == 0) look_after_others();
}

template <typename Body>
void image_control(const char* name, Body&& body) {
    const XMP_Site site = execution::site_of_call(name);
    execution::guarded(&site, [&] { body(); });
}

}  // namespace

NodeSetPointer take_image_set() {
    NodeSetPointer set = image_set ? std::move(image_set) : Context::get().executing();
    image_set.reset();
    return set;
}

bool has_ended(int node) {
    return somebody_ended() && told(Counter::ended, node) != 0;
}

void complete_puts() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    remote_fence();
}

void order_puts() {
    std::atomic_thread_fence(std::memory_order_acq_rel);
    remote_fence();
}

void order_puts_before(int node) {
    if (!is_far(node)) return order_puts();
    std::atomic_thread_fence(std::memory_order_acq_rel);
    remote_fence_others(node);
}

std::vector<int> nodes_of_images(const NodeSet& set, const int* images, int count, int first) {
    if (count < 0) throw base::Error(fmt::format("a set of {} images", count));
    std::vector<int> nodes;
    for (int i = 0; i < count; ++i) {
        const int image = images[i] - first;
        if (image < 0 || image >= set.size())
            throw base::Error(
                fmt::format("there is no image {}: the images are {} to {}", images[i], first, set.size() - 1 + first),
                first == 0 ? "Image indices count from 0, in the executing set or in the node array of an image directive."
                           : "Image indices count from 1, in the current team.");
        const int node = set.world_rank(image);
        if (std::find(nodes.begin(), nodes.end(), node) != nodes.end())
            throw DuplicateImage(fmt::format("image {} stands twice in the set of images", images[i]));
        nodes.push_back(node);
    }
    return nodes;
}

Absence sync_all(const NodeSet& set) {
    check_member(set);
    order_puts();
    const Absence absence = absence_in(meet(set));
    std::atomic_thread_fence(std::memory_order_acquire);
    return absence;
}

Absence all_together(const NodeSet& set, const std::function<bool(const Hopeless&)>& operation, bool shows_all) {
    check_member(set);
    order_puts();
    enter_barrier(set);
    const Hopeless hopeless = [&] { return never_comes(set); };
    // Who has left the operation gives no signal: so no other image takes all for done.
    const bool completed = !hopeless() && operation(hopeless);
    const bool barrier = !completed || !shows_all || watches_processes();
    const Absence absence = barrier ? absence_in(complete_barrier(set, completed)) : Absence::none;
    std::atomic_thread_fence(std::memory_order_acquire);
    return !completed && absence == Absence::none ? Absence::failed : absence;
}

// Counted for each pair, as in Fortran 2008 (8.5.4): the n-th time here meets the n-th time there.
Absence sync_images(const std::vector<int>& nodes) {
    note_order(Order::some_images);
    if (nodes.size() == 1)
        order_puts_before(nodes.front());
    else
        order_puts();  // each of them may look at what was put at another
    Ledger& ledger = Ledger::get();
    for (const int node : nodes)
        if (node != me()) tell(node, Counter::synced, me(), ++ledger.synced[static_cast<std::size_t>(node)]);
    Absence worst = Absence::none;
    for (const int node : nodes) {
        if (node == me()) continue;
        const std::int64_t expected = ledger.synced[static_cast<std::size_t>(node)];
        const auto met = [&] { return told(Counter::synced, node) >= expected; };
        wait_until([&] { return met() || has_failed(node) || has_ended(node); });
        if (!met()) worst = std::max(worst, absence_of(node));  // looked at again: it may have synchronised just before its end
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return worst;
}

std::vector<std::optional<std::int64_t>> exchange(const NodeSet& set, std::int64_t mine) {
    check_member(set);
    say(set, mine);
    enter_barrier(set);
    std::vector<int> absent = await_each(set);
    note_completed(set, absent);
    std::vector<std::optional<std::int64_t>> numbers;
    for (const int node : set.world_ranks()) numbers.emplace_back(said_by(node));
    // Nobody says the next number before all have read this one; and who comes here has said one to all.
    const std::vector<int> gone = meet(set);
    absent.insert(absent.end(), gone.begin(), gone.end());
    for (const int node : absent) numbers[static_cast<std::size_t>(set.number_of(node))].reset();
    return numbers;
}

int fences_left = 0;

void sync_memory() {
    note_order(Order::by_the_program);
    order_puts();
    if (transport() != nullptr || has_far_images() || execution::checking) return be_polite();
    look_after_others();
    fences_left = calls_between_looks - 1;
}

void start() {
    open_mailboxes();
    if (XMP_local_view) transport_for_coarrays();  // a global array on some nodes may be the first to need it
    Ledger& ledger = Ledger::get();
    ledger.synced.assign(static_cast<std::size_t>(Context::get().world_size()), 0);
    ledger.ended = false;
}

void end() {
    Ledger& ledger = Ledger::get();
    if (ledger.ended) return;
    complete_puts();
    for (int node = 0; node < Context::get().world_size(); ++node) tell(node, Counter::ended, me(), 1 + barrier_with(node));
    ledger.ended = true;
}

void stop() {
    end();
    forget_failures();
    close_mailboxes();
    close_desks();
    release_coarrays();
    release_transport();
    image_set.reset();
}

}  // namespace kumihimo::localview

using namespace kumihimo;
using namespace kumihimo::localview;

void XMP_Image(const XMP_Site* site, const XMP_Nodes* nodes) {
    execution::guarded(site, [&] { image_set = execution::nodes_of(nodes).set; });
}

// A program may take what it put for being there when this returns. SYNC MEMORY of Fortran only divides segments.
void xmp_sync_memory(int* status) {
    note_order(Order::by_the_program);
    complete_puts();
    be_polite();
    if (status != nullptr) *status = XMP_STAT_SUCCESS;
}

void xmp_sync_all(int* status) {
    image_control("xmp_sync_all", [&] {
        const NodeSetPointer set = take_image_set();
        const Absence absence = sync_all(*set);
        report(absence, status);
        if (absence == Absence::none)
            compare_uses(set);
        else
            stop_comparing();
    });
}

void xmp_sync_image(int image, int* status) {
    image_control("xmp_sync_image", [&] { report(sync_images(nodes_of_images(*take_image_set(), &image, 1)), status); });
}

void xmp_sync_images(int count, int* images, int* status) {
    image_control("xmp_sync_images", [&] { report(sync_images(nodes_of_images(*take_image_set(), images, count)), status); });
}

void xmp_sync_images_all(int* status) {
    image_control("xmp_sync_images_all", [&] { report(sync_images(take_image_set()->world_ranks()), status); });
}
