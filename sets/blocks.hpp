// What a visit of a set of bytes (extents.hpp) yields: equal blocks at equal distances, in one call.
#pragma once

#include <span>

#include "sets/range.hpp"

namespace kumihimo::sets {

// `count` blocks of `length` bytes, the first at `offset`, `stride` apart (any sign), one after another in the stream.
struct Blocks {
    Index offset = 0, length = 0, count = 1, stride = 0;  // stride is 0 where count is 1

    Index size() const { return length * count; }
    Index last() const { return offset + (count - 1) * stride; }  // offset of the last block
    Index end() const { return last() + length; }                 // the byte behind the last block
    bool operator==(const Blocks&) const = default;
};

// One loop of a nest.
struct Level {
    Index count = 1, stride = 0;
    bool operator==(const Level&) const = default;
};

// A loop nest over blocks of `length` bytes, outermost level first, every count at least 2; one block if there is no level.
// The rows of a four-dimensional subarray are one nest. It lives as long as the call that it is given to.
struct Nest {
    static constexpr int most_levels = 8;
    Index offset = 0, length = 0;
    std::span<const Level> levels;
};

// Visits the blocks of a nest, the innermost level in one call: visit(const Blocks&).
template <typename Visit>
void for_each_blocks(const Nest& nest, Visit&& visit) {
    if (nest.levels.empty()) return visit(Blocks{nest.offset, nest.length});
    const Level& outer = nest.levels.front();
    if (nest.levels.size() == 1) return visit(Blocks{nest.offset, nest.length, outer.count, outer.stride});
    for (Index i = 0; i < outer.count; ++i)
        for_each_blocks(Nest{nest.offset + i * outer.stride, nest.length, nest.levels.subspan(1)}, visit);
}

}  // namespace kumihimo::sets
