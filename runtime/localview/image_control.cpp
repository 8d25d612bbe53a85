#include "runtime/localview/image_control.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/wait.hpp"
#include "kumihimo/xmp.h"
#include "runtime/localview/barriers.hpp"
#include "runtime/localview/job_transport.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"
#include "runtime/localview/waiting.hpp"

namespace kumihimo::localview {

namespace {

using execution::Context;
using execution::NodeSet;
using execution::NodeSetPointer;

NodeSetPointer image_set;          // of an image directive that waits for its image control
std::vector<std::int64_t> synced;  // how often this image has synchronised with each image of the entire set

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
    for (const int node : nodes)
        if (node != this_image()) tell(node, Counter::synced, this_image(), ++synced[static_cast<std::size_t>(node)]);
    Absence worst = Absence::none;
    for (const int node : nodes) {
        if (node == this_image()) continue;
        const std::int64_t expected = synced[static_cast<std::size_t>(node)];
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
    std::vector<int> absent = complete_barrier(set, false);
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

void reset_image_control() {
    synced.assign(static_cast<std::size_t>(Context::get().world_size()), 0);
    image_set.reset();
}

namespace {

void sync_all_images(int* status) {
    const NodeSetPointer set = take_image_set();
    const Absence absence = sync_all(*set);
    report(absence, status);
    if (absence == Absence::none)
        compare_uses(set);
    else
        stop_comparing();
}

void sync_with(const char* name, const int* images, int count, int* status) {
    image_control(name, [&] { report(sync_images(nodes_of_images(*take_image_set(), images, count)), status); });
}

// A program may take what it put for being there when this returns. SYNC MEMORY of Fortran only divides segments.
void complete_memory() {
    note_order(Order::by_the_program);
    complete_puts();
    be_polite();
}

}  // namespace

}  // namespace kumihimo::localview

using namespace kumihimo;

void XMP_Image(const XMP_Site* site, const XMP_Nodes* nodes) {
    execution::guarded(site, [&] { localview::image_set = execution::nodes_of(nodes).set; });
}

void xmp_sync_memory(int* status) {
    localview::complete_memory();
    if (status != nullptr) *status = XMP_STAT_SUCCESS;
}

void xmp_sync_all(int* status) {
    localview::image_control("xmp_sync_all", [&] { localview::sync_all_images(status); });
}

void xmp_sync_image(int image, int* status) {
    localview::sync_with("xmp_sync_image", &image, 1, status);
}

void xmp_sync_images(int count, int* images, int* status) {
    localview::sync_with("xmp_sync_images", images, count, status);
}

void xmp_sync_images_all(int* status) {
    localview::image_control("xmp_sync_images_all", [&] {
        localview::report(localview::sync_images(localview::take_image_set()->world_ranks()), status);
    });
}
