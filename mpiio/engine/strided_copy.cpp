#include "mpiio/engine/strided_copy.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#include "mpiio/engine/element_length.hpp"
#include "mpiio/engine/transpose.hpp"

namespace kumihimo::mpiio {

namespace {

using sets::Blocks;

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

std::size_t smallest(std::span<const CopyLoop> loops, Index CopyLoop::*stride) {
    std::size_t found = loops.size() - 1;  // the innermost one wherever others are no smaller
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (std::abs(loops[i].*stride) < std::abs(loops[found].*stride)) found = i;
    return found;
}

using Loops = std::array<CopyLoop, most_copy_loops>;

// All loops but two, in their order.
std::span<const CopyLoop> without(std::span<const CopyLoop> loops, std::size_t a, std::size_t b, Loops& kept) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (i != a && i != b) kept[count++] = loops[i];
    return {kept.data(), count};
}

Index bytes_of(Index length, std::span<const CopyLoop> loops) {
    for (const CopyLoop& loop : loops) length *= loop.count;
    return length;
}

template <typename Length>
void copy_elements(const std::byte* from, std::byte* to, Length length, std::span<const CopyLoop> loops) {
    const std::size_t across = smallest(loops, &CopyLoop::to_stride), along = smallest(loops, &CopyLoop::from_stride);
    Loops kept;
    const auto outer = without(loops, across, along, kept);
    if (across == along)
        return run(from, to, outer, [&](const std::byte* f, std::byte* t) { copy_loop(f, t, length, loops[across]); });
    const bool large = bytes_of(static_cast<Index>(length), loops) >= smallest_streamed;
    run(from, to, outer,
        [&](const std::byte* f, std::byte* t) { transpose(f, t, length, loops[across], loops[along], large); });
}

// Calls copy(row, place, length) for each block of a list, its length a constant where it can be.
template <typename Copy>
Index for_each_of_list(std::span<const Blocks> list, Copy&& copy) {
    Index row = 0;
    for (std::size_t i = 0; i < list.size();)
        with_length(list[i].length, [&](auto length) {
            for (const Index first = list[i].length; i < list.size() && list[i].length == first; ++i)
                for (Index k = 0; k < list[i].count; ++k, row += static_cast<Index>(length))
                    copy(row, list[i].offset + k * list[i].stride, length);
        });
    return row;
}

}  // namespace

void copy_blocks(const std::byte* from, std::byte* to, Index length, std::span<const CopyLoop> loops) {
    if (loops.empty()) {
        std::memcpy(to, from, static_cast<std::size_t>(length));
    } else if (length > cache_line) {
        run(from, to, loops.first(loops.size() - 1),
            [&](const std::byte* f, std::byte* t) { copy_loop(f, t, static_cast<std::size_t>(length), loops.back()); });
    } else if (loops.size() == 1) {
        with_length(length, [&](auto constant) { copy_loop(from, to, constant, loops.front()); });
    } else {
        with_length(length, [&](auto constant) { copy_elements(from, to, constant, loops); });
    }
}

Index gather_list(const std::byte* base, std::span<const Blocks> list, std::byte* row) {
    return for_each_of_list(list, [&](Index at, Index place, auto length) { std::memcpy(row + at, base + place, length); });
}

Index scatter_list(const std::byte* row, std::span<const Blocks> list, std::byte* base) {
    return for_each_of_list(list, [&](Index at, Index place, auto length) { std::memcpy(base + place, row + at, length); });
}

}  // namespace kumihimo::mpiio
