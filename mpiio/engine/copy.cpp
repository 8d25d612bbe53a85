#include "mpiio/engine/copy.hpp"

#include <algorithm>
#include <array>

#include "mpiio/engine/strided_copy.hpp"

namespace kumihimo::mpiio {

namespace {

using sets::Level;
using sets::Nest;

// What passes between two patterns in one portion: stays in the second cache.
constexpr Index portion_bytes = Index{1} << 16;

// The loops of a nest, beside those of its bytes in a row. Calls use(loop, stride of the nest, stride of the row) from the
// innermost on.
template <typename Use>
Index for_each_loop(const Nest& nest, Use&& use) {
    Index row_stride = nest.length;
    for (std::size_t i = nest.levels.size(); i-- > 0;) {
        use(i, nest.levels[i], row_stride);
        row_stride *= nest.levels[i].count;
    }
    return row_stride;  // of the whole nest: its bytes
}

// Visitors that go through memory and a row together.
struct Gather {
    const std::byte* base;
    std::byte* row;

    void operator()(const Nest& nest) {
        std::array<CopyLoop, most_copy_loops> loops;
        const Index bytes = for_each_loop(nest, [&](std::size_t i, const Level& level, Index row_stride) {
            loops[i] = {level.count, level.stride, row_stride};
        });
        copy_blocks(base + nest.offset, row, nest.length, {loops.data(), nest.levels.size()});
        row += bytes;
    }
    void operator()(std::span<const Blocks> list, Index at) { row += gather_list(base + at, list, row); }
};

struct Scatter {
    const std::byte* row;
    std::byte* base;

    void operator()(const Nest& nest) {
        std::array<CopyLoop, most_copy_loops> loops;
        const Index bytes = for_each_loop(nest, [&](std::size_t i, const Level& level, Index row_stride) {
            loops[i] = {level.count, row_stride, level.stride};
        });
        copy_blocks(row, base + nest.offset, nest.length, {loops.data(), nest.levels.size()});
        row += bytes;
    }
    void operator()(std::span<const Blocks> list, Index at) { row += scatter_list(row, list, base + at); }
};

std::byte* start(const Memory& memory, Index begin) {
    return memory.data() + begin;  // of contiguous memory
}

}  // namespace

void gather(const Memory& memory, Index begin, Index end, std::byte* to) {
    sets::for_each_tiled_nest(memory.pattern, memory.period, 0, begin, end, Gather{memory.base, to});
}

void scatter(const std::byte* from, const Memory& memory, Index begin, Index end) {
    sets::for_each_tiled_nest(memory.pattern, memory.period, 0, begin, end, Scatter{from, memory.base});
}

void copy(const Memory& from, Index from_begin, const Memory& to, Index to_begin, Index bytes) {
    if (to.contiguous()) return gather(from, from_begin, from_begin + bytes, start(to, to_begin));
    if (from.contiguous()) return scatter(start(from, from_begin), to, to_begin, to_begin + bytes);
    std::array<std::byte, portion_bytes> row;
    for (Index done = 0, portion; done < bytes; done += portion) {
        portion = std::min(portion_bytes, bytes - done);
        gather(from, from_begin + done, from_begin + done + portion, row.data());
        scatter(row.data(), to, to_begin + done, to_begin + done + portion);
    }
}

std::byte* pack(const std::byte* base, const Blocks& blocks, std::byte* to) {
    const CopyLoop loop{blocks.count, blocks.stride, blocks.length};
    copy_blocks(base + blocks.offset, to, blocks.length, {&loop, 1});
    return to + blocks.size();
}

const std::byte* unpack(const std::byte* from, const Blocks& blocks, std::byte* base) {
    const CopyLoop loop{blocks.count, blocks.length, blocks.stride};
    copy_blocks(from, base + blocks.offset, blocks.length, {&loop, 1});
    return from + blocks.size();
}

}  // namespace kumihimo::mpiio
