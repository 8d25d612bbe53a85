// Atomic operations (Fortran 2018 16.9, in C as XMP_Atomic) and locks (specification 5.8.4), which are made of them. One word
// is never reached in two ways: under the lock of accumulates where every image maps it, else by the transport for all.
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/xmp.h"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"
#include "runtime/localview/target_lock.hpp"
#include "runtime/localview/waiting.hpp"
#include "runtime/localview/words.hpp"

namespace kumihimo::localview {

namespace {

using transport::Atomic;

constexpr Atomic operations[] = {
    Atomic::define, Atomic::ref, Atomic::add, Atomic::bit_and, Atomic::bit_or, Atomic::bit_xor, Atomic::compare_and_swap};

// The value before.
template <typename Integer>
std::int64_t apply(void* word, Atomic operation, std::int64_t operand, std::int64_t compare) {
    const std::atomic_ref<Integer> target(*static_cast<Integer*>(word));
    const auto value = static_cast<Integer>(operand);
    switch (operation) {
        case Atomic::define:
            return target.exchange(value);
        case Atomic::ref:
            return target.load();
        case Atomic::add:
            return target.fetch_add(value);
        case Atomic::bit_and:
            return target.fetch_and(value);
        case Atomic::bit_or:
            return target.fetch_or(value);
        case Atomic::bit_xor:
            return target.fetch_xor(value);
        case Atomic::compare_and_swap:
            break;
    }
    auto before = static_cast<Integer>(compare);
    target.compare_exchange_strong(before, value);
    return before;
}

}  // namespace

std::int64_t update(const Place& place, std::size_t bytes, Atomic operation, std::int64_t operand, std::int64_t compare) {
    if (!place.shared()) return remote_atomic(place, bytes, operation, operand, compare);
    if (operation == Atomic::ref)
        return bytes == 4 ? apply<std::int32_t>(place.direct, operation, 0, 0)
                          : apply<std::int64_t>(place.direct, operation, 0, 0);
    const TargetLock with_accumulates(place.node, place.offset);
    return bytes == 4 ? apply<std::int32_t>(place.direct, operation, operand, compare)
                      : apply<std::int64_t>(place.direct, operation, operand, compare);
}

std::int64_t update_alone(const Place& place, Atomic operation, std::int64_t operand, std::int64_t compare) {
    if (!place.shared()) return remote_atomic(place, sizeof(std::int64_t), operation, operand, compare);
    return apply<std::int64_t>(place.direct, operation, operand, compare);
}

Place locate_word(const XMP_Coarray* coarray, long long image, const void* mine, std::size_t bytes) {
    if (bytes != 4 && bytes != 8)
        throw base::Error(fmt::format("an atomic operation on a variable of {} bytes", bytes),
                          "Use an integer type of 4 or 8 bytes.");
    if (reinterpret_cast<std::uintptr_t>(mine) % bytes != 0)
        throw base::Error("an atomic operation on a variable that is not aligned to its size");
    return locate(coarray, image, mine, Extent{0, static_cast<std::ptrdiff_t>(bytes)});
}

namespace {

void atomic(const XMP_Coarray* coarray, long long image, const void* mine, std::size_t bytes, int operation,
            std::int64_t operand, std::int64_t compare, void* result) {
    const Place place = locate_word(coarray, image, mine, bytes);
    if (operation < 0 || operation > XMP_ATOMIC_CAS) throw base::Error("unknown atomic operation");
    const std::int64_t before = update(place, bytes, operations[operation], operand, compare);
    if (result != nullptr) std::memcpy(result, &before, bytes);  // little-endian: the low bytes are the 4-byte value
}

// ---- locks: the word holds 0, or 1 + the owner's number in the entire set ----

std::int64_t my_mark() {
    return execution::Context::get().world_rank() + 1;
}

Place locate_lock(const XMP_Coarray* coarray, long long image, const void* mine) {
    return locate_word(coarray, image, mine, sizeof(xmp_lock_t));
}

std::int64_t exchange_holder(const Place& lock, std::int64_t to, std::int64_t from) {
    return update_alone(lock, Atomic::compare_and_swap, to, from);
}

int node_of(std::int64_t mark) {
    return static_cast<int>(mark) - 1;
}

}  // namespace

Locking take_lock(const Place& lock, bool wait) {
    note_order(Order::some_images);
    order_puts();
    std::int64_t holder = exchange_holder(lock, my_mark(), 0);
    if (holder == my_mark()) return Locking::held_here;
    const auto absence = [&] { return holder == 0 ? Absence::none : absence_of(node_of(holder)); };
    const auto seen = [&] {
        holder = exchange_holder(lock, my_mark(), 0);
        return holder == 0 || absence() != Absence::none;
    };
    if (holder != 0 && wait) wait_until(seen);
    while (absence() == Absence::failed) {  // of those that try, one gets it
        if (exchange_holder(lock, my_mark(), holder) == holder) return Locking::done_after_failure;
        if (wait)
            wait_until(seen);
        else
            seen();
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (wait && absence() == Absence::stopped) return Locking::holder_stopped;
    return holder == 0 ? Locking::done : Locking::not_done;
}

Unlocking give_lock(const Place& lock) {
    note_order(Order::some_images);
    order_puts();
    const std::int64_t holder = exchange_holder(lock, 0, my_mark());
    if (holder == my_mark()) return Unlocking::done;
    return holder == 0 ? Unlocking::not_locked : Unlocking::held_elsewhere;
}

namespace {

// Fortran 2008, 8.5.6: the errors of lock and unlock go to the status, or end the job.
void report(int status, const char* message, int* stat) {
    if (stat != nullptr)
        *stat = status;
    else if (status != XMP_STAT_SUCCESS)
        throw base::Error(message, "Give a stat variable to handle this in the program.");
}

void lock(const XMP_Coarray* coarray, long long image, const void* mine, int* acquired, int* stat) {
    const Locking outcome = take_lock(locate_lock(coarray, image, mine), acquired == nullptr);
    if (outcome == Locking::held_here) return report(XMP_STAT_LOCKED, "this image has the lock already", stat);
    if (outcome == Locking::holder_stopped)
        return report(XMP_STAT_STOPPED_IMAGE, "the image that has the lock has ended", stat);
    if (acquired != nullptr) *acquired = outcome != Locking::not_done;
    report(XMP_STAT_SUCCESS, "", stat);
}

void unlock(const XMP_Coarray* coarray, long long image, const void* mine, int* stat) {
    switch (give_lock(locate_lock(coarray, image, mine))) {
        case Unlocking::done:
            return report(XMP_STAT_SUCCESS, "", stat);
        case Unlocking::not_locked:
            return report(XMP_STAT_UNLOCKED, "the lock is not locked", stat);
        case Unlocking::held_elsewhere:
            return report(XMP_STAT_LOCKED_OTHER_IMAGE, "another image has the lock", stat);
    }
}

}  // namespace

}  // namespace kumihimo::localview

using namespace kumihimo;
using execution::guarded;

void XMP_Atomic(const XMP_Site* site, const XMP_Coarray* coarray, long long image, void* mine, size_t bytes, int operation,
                long long operand, long long compare, void* result) {
    localview::note_order(localview::Order::some_images);
    guarded(site, [&] { localview::atomic(coarray, image, mine, bytes, operation, operand, compare, result); });
}

void XMP_Lock(const XMP_Site* site, const XMP_Coarray* coarray, long long image, void* mine, int* acquired, int* stat) {
    guarded(site, [&] { localview::lock(coarray, image, mine, acquired, stat); });
}

void XMP_Unlock(const XMP_Site* site, const XMP_Coarray* coarray, long long image, void* mine, int* stat) {
    guarded(site, [&] { localview::unlock(coarray, image, mine, stat); });
}
