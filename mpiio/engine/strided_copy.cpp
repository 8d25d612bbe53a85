#include "mpiio/engine/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace kumihimo::mpiio {

namespace {

constexpr Index cache_line = 64;
// Elements that a tile of a transposition reads in a row: long enough for the processor to foresee, short enough for the pages
// that it writes to stay known (one per element in the worst case).
constexpr Index tile_length = 256;

// Calls with a length as a constant where elements are that long: memcpy is then one instruction or few, else a call.
template <typename Call>
void with_length(Index length, Call&& call) {
    switch (length) {
        case 1:
            return call(std::integral_constant<std::size_t, 1>{});
        case 2:
            return call(std::integral_constant<std::size_t, 2>{});
        case 4:
            return call(std::integral_constant<std::size_t, 4>{});
        case 8:
            return call(std::integral_constant<std::size_t, 8>{});
        case 12:
            return call(std::integral_constant<std::size_t, 12>{});
        case 16:
            return call(std::integral_constant<std::size_t, 16>{});
        case 24:
            return call(std::integral_constant<std::size_t, 24>{});
        case 32:
            return call(std::integral_constant<std::size_t, 32>{});
        default:
            return call(static_cast<std::size_t>(length));
    }
}

template <typename Length>
void copy_loop(const std::byte* from, std::byte* to, Length length, const CopyLoop& loop) {
    const Index count = loop.count, from_stride = loop.from_stride, to_stride = loop.to_stride;
#pragma GCC unroll 4
    for (Index i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, length);
}

// The product of all loops, first one outermost; innermost(from, to) does the rest.
template <typename Innermost>
void run(const std::byte* from, std::byte* to, std::span<const CopyLoop> loops, Innermost&& innermost) {
    if (loops.empty()) return innermost(from, to);
    const CopyLoop& loop = loops.front();
    for (Index i = 0; i < loop.count; ++i)
        run(from + i * loop.from_stride, to + i * loop.to_stride, loops.subspan(1), innermost);
}

// Elements of one line of the target, `width` of them, for each step of `along`.
template <typename Length, typename Width>
void copy_lines(const std::byte* from, std::byte* to, Length length, const CopyLoop& across, const CopyLoop& along,
                Width width) {
    for (Index j = 0; j < along.count; ++j, from += along.from_stride, to += along.to_stride)
        for (Index i = 0; i < width; ++i) std::memcpy(to + i * across.to_stride, from + i * across.from_stride, length);
}

// `across` has the smallest steps in the target, `along` in the source: each line of the target is written at once, and the
// lines of the source that it comes from are used up by the next ones.
template <typename Length>
void transpose(const std::byte* from, std::byte* to, Length length, const CopyLoop& across, const CopyLoop& along) {
    const Index constant_width = std::max<Index>(1, cache_line / static_cast<Index>(length));
    for (Index j = 0; j < along.count; j += tile_length) {
        const CopyLoop tile{std::min(tile_length, along.count - j), along.from_stride, along.to_stride};
        const std::byte* source = from + j * along.from_stride;
        std::byte* target = to + j * along.to_stride;
        for (Index left = across.count; left > 0; left -= constant_width) {
            if constexpr (std::is_same_v<Length, std::size_t>) {
                copy_lines(source, target, length, across, tile, std::min(left, constant_width));
            } else {
                constexpr Index width = std::max<Index>(1, cache_line / static_cast<Index>(Length::value));
                if (left >= width)
                    copy_lines(source, target, length, across, tile, std::integral_constant<Index, width>{});
                else
                    copy_lines(source, target, length, across, tile, left);
            }
            source += constant_width * across.from_stride;
            target += constant_width * across.to_stride;
        }
    }
}

using Loops = std::array<CopyLoop, most_copy_loops>;

template <typename Stride>
std::size_t smallest(std::span<const CopyLoop> loops, Stride stride) {
    std::size_t found = loops.size() - 1;  // the innermost one wherever others are no smaller
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (std::abs(loops[i].*stride) < std::abs(loops[found].*stride)) found = i;
    return found;
}

// All loops but two, in their order.
std::span<const CopyLoop> without(std::span<const CopyLoop> loops, std::size_t a, std::size_t b, Loops& kept) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (i != a && i != b) kept[count++] = loops[i];
    return {kept.data(), count};
}

template <typename Length>
void copy_elements(const std::byte* from, std::byte* to, Length length, std::span<const CopyLoop> loops) {
    const std::size_t across = smallest(loops, &CopyLoop::to_stride), along = smallest(loops, &CopyLoop::from_stride);
    Loops kept;
    const auto outer = without(loops, across, along, kept);
    if (across == along)
        return run(from, to, outer, [&](const std::byte* f, std::byte* t) { copy_loop(f, t, length, loops[across]); });
    run(from, to, outer, [&](const std::byte* f, std::byte* t) { transpose(f, t, length, loops[across], loops[along]); });
}

}  // namespace

void copy_blocks(const std::byte* from, std::byte* to, Index length, std::span<const CopyLoop> loops) {
    if (loops.empty()) {
        std::memcpy(to, from, static_cast<std::size_t>(length));
    } else if (length >= cache_line) {
        run(from, to, loops.first(loops.size() - 1),
            [&](const std::byte* f, std::byte* t) { copy_loop(f, t, static_cast<std::size_t>(length), loops.back()); });
    } else if (loops.size() == 1) {
        with_length(length, [&](auto constant) { copy_loop(from, to, constant, loops.front()); });
    } else {
        with_length(length, [&](auto constant) { copy_elements(from, to, constant, loops); });
    }
}

}  // namespace kumihimo::mpiio
