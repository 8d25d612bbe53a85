// Memory around a block that a program with AddressSanitizer may not touch, so that it sees an array's overrun: the blocks lie
// in mappings of our own, of which the sanitizer knows nothing. Programs without it pay nothing.
#pragma once

#include <cstddef>

extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(const volatile void* address, std::size_t bytes);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes);
}

namespace kumihimo::memory {

// Bytes behind a block that belong to nobody: 0 in programs without AddressSanitizer.
inline std::size_t red_zone_bytes() {
    constexpr std::size_t bytes = 256;
    return __asan_poison_memory_region != nullptr ? bytes : 0;
}

inline void forbid(const std::byte* begin, const std::byte* end) {
    if (__asan_poison_memory_region != nullptr && begin < end)
        __asan_poison_memory_region(begin, static_cast<std::size_t>(end - begin));
}

inline void allow(const std::byte* begin, const std::byte* end) {
    if (__asan_unpoison_memory_region != nullptr && begin < end)
        __asan_unpoison_memory_region(begin, static_cast<std::size_t>(end - begin));
}

}  // namespace kumihimo::memory
