// How one process shows others, in memory that they share, one thing after the other without waiting for their answer. What it
// shows is numbered; number n lies in slot n mod 2. It may overwrite n - 2 when the others were seen to have read it: whoever
// has shown n - 1 in turn has.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kumihimo::base {

class TwoSlots {
public:
    static constexpr std::size_t line = 64;
    static constexpr std::size_t inline_bytes = line - sizeof(std::uint64_t);

    // Of one that shows up to most_bytes. Zero-filled memory, of cache lines, shows number 0.
    static std::size_t size(std::size_t most_bytes) {
        return sizeof(TwoSlots) + (most_bytes <= inline_bytes ? 0 : 2 * rounded(most_bytes));
    }
    // Where what is shown as this number lies, as long as it is shown: little travels with its number, in one cache line.
    std::byte* data(std::uint64_t number, std::size_t bytes, std::size_t most_bytes) {
        if (bytes <= inline_bytes) return slot_[number % 2].data;
        return reinterpret_cast<std::byte*>(this + 1) + (number % 2) * rounded(most_bytes);
    }
    void show(std::uint64_t number) { slot_[number % 2].number.store(number, std::memory_order_release); }
    bool shows(std::uint64_t number) const { return slot_[number % 2].number.load(std::memory_order_acquire) >= number; }

private:
    static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + line - 1) / line * line; }
    struct alignas(line) Slot {
        std::byte data[inline_bytes];
        std::atomic<std::uint64_t> number;
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    Slot slot_[2];
};

}  // namespace kumihimo::base
