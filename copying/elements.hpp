// Elements of up to a cache line move through registers: no call of memcpy. Their lengths are constants of the compiler, or
// lie between a power of two and its double, which two overlapping moves cover.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "sets/range.hpp"

namespace kumihimo::copying {

using sets::Index;

template <std::size_t bytes>
using Constant = std::integral_constant<std::size_t, bytes>;

// A length in [word, 2 * word].
template <std::size_t word>
struct Overlapping {
    std::size_t bytes;
    operator std::size_t() const { return bytes; }
};

template <typename Length>
inline constexpr bool is_constant = false;
template <std::size_t bytes>
inline constexpr bool is_constant<Constant<bytes>> = true;

template <std::size_t bytes>
void copy_element(std::byte* to, const std::byte* from, Constant<bytes>) {
    std::memcpy(to, from, bytes);
}
template <std::size_t word>
void copy_element(std::byte* to, const std::byte* from, Overlapping<word> length) {
    std::byte first[word], last[word];
    std::memcpy(first, from, word);
    std::memcpy(last, from + length - word, word);
    std::memcpy(to, first, word);
    std::memcpy(to + length - word, last, word);
}
inline void copy_element(std::byte* to, const std::byte* from, std::size_t length) {
    std::memcpy(to, from, length);
}

// Calls copy(to, from) for elements with constant strides. Four at a time: the processor then computes fewer addresses than it
// stores elements.
template <typename To, typename From, typename Copy>
void for_each_element(std::byte* __restrict to, const std::byte* __restrict from, Index count, To to_stride, From from_stride,
                      Copy copy) {
    for (; count >= 4; count -= 4, to += 4 * to_stride, from += 4 * from_stride) {
        copy(to, from);
        copy(to + to_stride, from + from_stride);
        copy(to + 2 * to_stride, from + 2 * from_stride);
        copy(to + 3 * to_stride, from + 3 * from_stride);
    }
    for (Index i = 0; i < count; ++i) copy(to + i * to_stride, from + i * from_stride);
}

// Calls with a Constant where elements are that long, with an Overlapping where they are shorter than a cache line, else with
// a number.
template <typename Call>
void with_length(Index length, Call&& call) {
    switch (length) {
        case 1:
            return call(Constant<1>{});
        case 2:
            return call(Constant<2>{});
        case 4:
            return call(Constant<4>{});
        case 8:
            return call(Constant<8>{});
        case 12:
            return call(Constant<12>{});
        case 16:
            return call(Constant<16>{});
        case 24:
            return call(Constant<24>{});
        case 32:
            return call(Constant<32>{});
        case 64:
            return call(Constant<64>{});
        default:
            break;
    }
    const auto bytes = static_cast<std::size_t>(length);
    if (bytes > 64) return call(bytes);
    if (bytes > 32) return call(Overlapping<32>{bytes});
    if (bytes > 16) return call(Overlapping<16>{bytes});
    if (bytes > 8) return call(Overlapping<8>{bytes});
    if (bytes > 4) return call(Overlapping<4>{bytes});
    return call(Overlapping<2>{bytes});
}

}  // namespace kumihimo::copying
