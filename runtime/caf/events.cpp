// Events (Fortran 2018, 11.6.7, 11.6.8, 16.9.72): a count on each image, which others raise and the image itself lowers.
#include <atomic>

#include "base/error.hpp"
#include "runtime/caf/image_control.hpp"
#include "runtime/caf/words.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"
#include "runtime/localview/waiting.hpp"

namespace kumihimo::caf {

namespace {

using localview::Absence;
using transport::Atomic;

constexpr std::size_t event_bytes = 8;

localview::Place event_of(const Token& token, std::size_t index, int image) {
    return word_of(token, index * event_bytes, image, event_bytes);
}

std::int64_t add(const localview::Place& event, std::int64_t count) {
    return localview::update_alone(event, Atomic::add, count, 0);
}

std::int64_t count_of(const localview::Place& event) {
    return localview::update_alone(event, Atomic::ref, 0, 0);
}

// Nobody can say who would have posted: a failure that the program has not been told of ends the wait, and so does the end of
// the last of the others.
Absence nobody_posts() {
    if (localview::somebody_failed() && localview::failures() > localview::failures_told()) return Absence::failed;
    if (!localview::somebody_ended() && !localview::somebody_failed()) return Absence::none;
    const execution::Context& context = execution::Context::get();
    Absence worst = Absence::none;
    for (int node = 0; node < context.world_size(); ++node) {
        if (node == context.world_rank()) continue;
        const Absence one = localview::absence_of(node);
        if (one == Absence::none) return Absence::none;
        worst = std::max(worst, one);
    }
    return worst;
}

void post(const Token& token, std::size_t index, int image, const Outcome& outcome) {
    localview::note_order(localview::Order::some_images);
    const localview::Place event = event_of(token, index, image);
    localview::order_puts_before(event.node);
    if (failed(event)) return report(outcome, Absence::failed);
    add(event, 1);
    outcome.success();
}

void wait(const Token& token, std::size_t index, int until_count, const Outcome& outcome) {
    localview::note_order(localview::Order::some_images);
    const localview::Place event = event_of(token, index, 0);
    const std::int64_t needed = std::max(until_count, 1);
    Absence absence = Absence::none;
    localview::wait_until([&] { return count_of(event) >= needed || (absence = nobody_posts()) != Absence::none; });
    if (count_of(event) < needed) return report(outcome, absence);
    add(event, -needed);
    std::atomic_thread_fence(std::memory_order_acq_rel);  // what the posters put is seen from here on
    outcome.success();
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;
using execution::guarded;

extern "C" void _gfortran_caf_event_post(const Token* token, std::size_t index, int image, int* stat, char* message,
                                         std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "event post"};
    guarded(&site, [&] {
        const Outcome outcome{stat, message, length};
        outcome.of([&] { post(*token, index, image, outcome); });
    });
}

extern "C" void _gfortran_caf_event_wait(const Token* token, std::size_t index, int until_count, int* stat, char* message,
                                         std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "event wait"};
    guarded(&site, [&] {
        const Outcome outcome{stat, message, length};
        outcome.of([&] { wait(*token, index, until_count, outcome); });
    });
}

extern "C" void _gfortran_caf_event_query(const Token* token, std::size_t index, int image, int* count, int* stat) {
    static const XMP_Site site = {nullptr, 0, "event_query"};
    guarded(&site, [&] {
        const Outcome outcome{stat, nullptr, 0};
        outcome.of([&] {
            *count = static_cast<int>(count_of(event_of(*token, index, image)));
            outcome.success();
        });
    });
}
