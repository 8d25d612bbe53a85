// Two loops over elements of which one goes through the target in small steps and the other one through the source. In either
// order a plain loop uses a part of each cache line that it touches, and touches it again when it has left the cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "copying/elements.hpp"
#include "copying/streaming_store.hpp"
#include "sets/correspondence.hpp"

namespace kumihimo::copying {

using sets::PairedLevel;

// Elements that a tile reads in a row: long enough for the processor to foresee, short enough for the pages that it writes to
// stay known to the processor (one per element in the worst case).
inline constexpr Index tile_length = 256;
// Lines of the target are asked for that many elements before they are written.
inline constexpr Index lines_ahead = 8;
// The compiler lays out as many steps of a loop one after the other; of others it keeps the loop.
inline constexpr Index longest_peeled = 16;
// Below this the target is likely to stay in the cache for whoever reads it next.
inline constexpr Index smallest_streamed = Index{1} << 22;

template <typename Length>
struct PlainStore {
    static constexpr Index line_bytes = 2 * cache_line;  // processors fetch pairs
    Length length;

    void prepare(std::byte* to) const {
        __builtin_prefetch(to, 1);
        __builtin_prefetch(to + cache_line, 1);
    }
    void operator()(std::byte* to, const std::byte* from) const { copy_element(to, from, length); }
};

template <typename Length>
struct StreamingStore {
    static constexpr Index line_bytes = cache_line;
    Length length;

    void prepare(std::byte*) const {}
    void operator()(std::byte* to, const std::byte* from) const { stream_element<Length::value>(to, from); }
};

// `width` elements `across`, for each step `along`. A function of its own with values of its own: what is stored might else be
// anything that is referred to, and would be loaded again and again.
template <typename Store, typename Width>
[[gnu::noinline]] void copy_stripe(std::byte* to, const std::byte* from, Store store, PairedLevel across, PairedLevel along,
                                   Width width) {
    for (Index j = along.count; j > 0; --j, from += along.from, to += along.to) {
        store.prepare(to + lines_ahead * along.to);
        if constexpr (Width{} > longest_peeled)
            for_each_element(to, from, width, across.to, across.from, store);
        else
            for (Index i = 0; i < width; ++i) store(to + i * across.to, from + i * across.from);
    }
}

// Stripes as wide as a line of the target, so that it is written at once; the lines of the source that it comes from are used
// up by the next elements along. What is left of the width is for the caller: returns how many elements across are done.
template <typename Length, typename Store>
Index copy_stripes(std::byte* to, const std::byte* from, Length, const Store& store, const PairedLevel& across,
                   const PairedLevel& along) {
    constexpr Index width = std::max<Index>(1, Store::line_bytes / static_cast<Index>(Length::value));
    for (Index j = 0; j < along.count; j += tile_length) {
        const PairedLevel tile{std::min(tile_length, along.count - j), along.to, along.from};
        for (Index i = 0; i + width <= across.count; i += width)
            copy_stripe(to + i * across.to + j * along.to, from + i * across.from + j * along.from, store, across, tile,
                        std::integral_constant<Index, width>{});
    }
    return across.count / width * width;
}

// Elements before the first one that begins a cache line of the target, the same for each step along; or -1 if there is none.
template <typename Length>
Index elements_before_line(const std::byte* to, Length length, const PairedLevel& across, const PairedLevel& along) {
    const Index size = static_cast<Index>(length);
    const auto address = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to));
    const Index before = (cache_line - address % cache_line) % cache_line;
    if (cache_line % size != 0 || across.to != size || along.to % cache_line != 0 || before % size != 0) return -1;
    return std::min(before / size, across.count);
}

// `across` has the smallest steps in the target, `along` in the source. Of elements whose length is no constant there is no
// good stripe.
template <typename Length>
void transpose(std::byte* to, const std::byte* from, Length length, PairedLevel across, const PairedLevel& along, bool large) {
    const PlainStore<Length> plain{length};
    const auto advance = [&](Index count) {
        from += count * across.from;
        to += count * across.to;
        across.count -= count;
    };
    if constexpr (is_constant<Length>) {
        if constexpr (has_streaming_stores && (Length::value == 4 || Length::value % 8 == 0)) {
            const Index before = large ? elements_before_line(to, length, across, along) : -1;
            if (before >= 0) {
                copy_stripe(to, from, plain, across, along, before);
                advance(before);
                advance(copy_stripes(to, from, length, StreamingStore<Length>{length}, across, along));
                end_of_streaming();
            }
        }
        advance(copy_stripes(to, from, length, plain, across, along));
    }
    if (across.count > 0) copy_stripe(to, from, plain, across, along, across.count);
}

}  // namespace kumihimo::copying
