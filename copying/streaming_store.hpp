// Stores that bypass the caches: a line of the target is not fetched before it is overwritten. The only place that knows which
// processors have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kumihimo::copying {

inline constexpr std::int64_t cache_line = 64;

#if defined(__SSE2__)
inline constexpr bool has_streaming_stores = true;
inline void stream_store(std::byte* to, std::int32_t value) {
    _mm_stream_si32(reinterpret_cast<int*>(to), value);
}
inline void stream_store(std::byte* to, std::int64_t value) {
    _mm_stream_si64(reinterpret_cast<long long*>(to), value);
}
// Other processors see streamed stores after this, as they see all others.
inline void end_of_streaming() {
    _mm_sfence();
}
#else
inline constexpr bool has_streaming_stores = false;
template <typename Value>
void stream_store(std::byte* to, Value value) {
    std::memcpy(to, &value, sizeof value);
}
inline void end_of_streaming() {}
#endif

// Copies an element of 4 bytes or a multiple of 8.
template <std::size_t length>
void stream_element(std::byte* to, const std::byte* from) {
    using Word = std::conditional_t<length == 4, std::int32_t, std::int64_t>;
    static_assert(length % sizeof(Word) == 0);
    for (std::size_t i = 0; i < length; i += sizeof(Word)) {
        Word word;
        std::memcpy(&word, from + i, sizeof word);
        stream_store(to + i, word);
    }
}

}  // namespace kumihimo::copying
