#include "copying/streams.hpp"

#include <algorithm>
#include <array>

#include "copying/execute.hpp"
#include "copying/lists.hpp"

namespace kumihimo::copying {

namespace {

using sets::Blocks;
using sets::Nest;
using sets::PairedLevel;

// What passes between two patterns in one portion: stays in the second cache.
constexpr Index portion_bytes = Index{1} << 16;

// The levels of a nest beside those of its bytes in a row.
struct BesideRow {
    std::array<PairedLevel, Nest::most_levels> level;
    std::size_t count;
    Index bytes;

    BesideRow(const Nest& nest, bool to_row) : count(nest.levels.size()), bytes(nest.length) {
        for (std::size_t i = count; i-- > 0; bytes *= nest.levels[i].count) {
            const Index stride = nest.levels[i].stride;
            level[i] = {nest.levels[i].count, to_row ? bytes : stride, to_row ? stride : bytes};
        }
    }
    sets::Correspondence::Levels levels() const { return {level.data(), count}; }
};

// Visitors that go through memory and a row together.
struct Gather {
    const std::byte* base;
    std::byte* row;

    void operator()(const Nest& nest) {
        const BesideRow beside(nest, true);
        execute(nest.length, beside.levels(), row, base + nest.offset);
        row += beside.bytes;
    }
    void operator()(std::span<const Blocks> list, Index at) { row += gather_list(row, base + at, list); }
};

struct Scatter {
    const std::byte* row;
    std::byte* base;

    void operator()(const Nest& nest) {
        const BesideRow beside(nest, false);
        execute(nest.length, beside.levels(), base + nest.offset, row);
        row += beside.bytes;
    }
    void operator()(std::span<const Blocks> list, Index at) { row += scatter_list(base + at, row, list); }
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
    const PairedLevel level{blocks.count, blocks.length, blocks.stride};
    execute(blocks.length, {&level, 1}, to, base + blocks.offset);
    return to + blocks.size();
}

const std::byte* unpack(const std::byte* from, const Blocks& blocks, std::byte* base) {
    const PairedLevel level{blocks.count, blocks.stride, blocks.length};
    execute(blocks.length, {&level, 1}, base + blocks.offset, from);
    return from + blocks.size();
}

}  // namespace kumihimo::copying
