// Copies blocks from one loop nest of memory to another.
#pragma once

#include <cstddef>
#include <span>

#include "sets/blocks.hpp"

namespace kumihimo::mpiio {

using sets::Index;

// One loop over both memories.
struct CopyLoop {
    Index count, from_stride, to_stride;
};

inline constexpr std::size_t most_copy_loops = sets::Nest::most_levels;

// Copies blocks of `length` bytes, in any order. The memories do not overlap.
void copy_blocks(const std::byte* from, std::byte* to, Index length, std::span<const CopyLoop> loops);

// Between a row of bytes and a list of blocks, whose offsets count from `base`. Return how many bytes the row has.
Index gather_list(const std::byte* base, std::span<const sets::Blocks> list, std::byte* row);
Index scatter_list(const std::byte* row, std::span<const sets::Blocks> list, std::byte* base);

}  // namespace kumihimo::mpiio
