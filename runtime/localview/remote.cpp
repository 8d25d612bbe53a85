#include "runtime/localview/remote.hpp"

#include <atomic>

#include "runtime/localview/failures.hpp"
#include "runtime/localview/job_transport.hpp"

namespace kumihimo::localview {

namespace {

template <typename Access>
auto reach(Access&& access) -> decltype(access()) {
    try {
        return access();
    } catch (const transport::Gone& gone) {
        note_loss(gone.rank);
        throw Missing(Absence::failed);
    }
}

// What follows is to be fenced.
transport::Transport& putting() {
    set_unfenced_puts(true);
    return *transport();
}

void fence() {
    while (has_unfenced_puts()) {
        try {
            transport()->fence();
            set_unfenced_puts(false);
        } catch (const transport::Gone& gone) {  // what it was sent is lost with it; image control says so
            if (!watches_processes()) throw;
            note_loss(gone.rank);
            transport()->give_up(gone.rank);
        }
    }
}

}  // namespace

void remote_get(const Place& place, std::byte* to, const sets::Correspondence& shape) {
    reach([&] { transport()->get(*place.blocks->region, place.node, place.offset, to, shape); });
}

void remote_put(const Place& place, const std::byte* from, const sets::Correspondence& shape) {
    reach([&] { putting().put(*place.blocks->region, place.node, place.offset, from, shape); });
}

void remote_accumulate(const Place& place, const std::byte* from, const sets::Correspondence& shape,
                       transport::Reduction operation, int type) {
    reach([&] { putting().accumulate(*place.blocks->region, place.node, place.offset, from, shape, operation, type); });
    if (place.direct != nullptr) fence();  // this image's next access may be a load through the pointer
}

std::int64_t remote_atomic(const Place& place, std::size_t bytes, transport::Atomic operation, std::int64_t operand,
                           std::int64_t compare) {
    return reach([&] {
        return transport()->atomic(*place.blocks->region, place.node, place.offset, bytes, operation, operand, compare);
    });
}

void read_process(int node, std::uintptr_t address, std::byte* to, const sets::Correspondence& shape) {
    reach([&] { transport()->get(*region_of_processes(), node, address, to, shape); });
}

void write_process(int node, std::uintptr_t address, const std::byte* from, const sets::Correspondence& shape) {
    reach([&] { putting().put(*region_of_processes(), node, address, from, shape); });
}

void complete_puts() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    fence();
}

void order_puts() {
    std::atomic_thread_fence(std::memory_order_acq_rel);
    fence();
}

void order_puts_before(int node) {
    // Where processes may die everything is complete before others hear of it, so that all judge a death alike.
    if (!is_far(node) || watches_processes()) return order_puts();
    std::atomic_thread_fence(std::memory_order_acq_rel);
    if (has_unfenced_puts()) set_unfenced_puts(!transport()->fence_others(node));
}

}  // namespace kumihimo::localview
