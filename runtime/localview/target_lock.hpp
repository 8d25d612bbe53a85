// What makes updates of an image's memory atomic among all images that map it: locks in that image's mailbox, each for every
// 16th part of 64 KiB of its blocks. Accumulates and atomic operations take them, so they may meet on one element.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/wait.hpp"
#include "runtime/localview/mailbox.hpp"

namespace kumihimo::localview {

constexpr std::size_t stripe_bytes = std::size_t{64} << 10;

// An element belongs to the stripe of its first byte.
class TargetLock {
public:
    TargetLock(int node, std::size_t offset)
        : lock_(*accumulate_lock(node, static_cast<int>(offset / stripe_bytes % std::size_t{accumulate_locks}))) {
        base::Waiting waiting;
        while (lock_.exchange(1, std::memory_order_acquire) != 0) waiting.step();
    }
    ~TargetLock() { lock_.store(0, std::memory_order_release); }
    TargetLock(const TargetLock&) = delete;
    TargetLock& operator=(const TargetLock&) = delete;

private:
    std::atomic<int>& lock_;
};

}  // namespace kumihimo::localview
