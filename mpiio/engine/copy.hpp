// Copies between bytes in a row and bytes in a pattern: packing and unpacking without MPI. Independent of engines and of MPI.
#pragma once

#include <cstddef>

#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio {

using sets::Blocks;

// Stream bytes [begin, end) of a transfer's memory. Bytes in a row and memory do not overlap. Where a pattern has a byte twice,
// scatter leaves any of its values, as MPI does.
void gather(const Memory& memory, Index begin, Index end, std::byte* to);
void scatter(const std::byte* from, const Memory& memory, Index begin, Index end);

// `bytes` stream bytes of one memory to another; the two do not overlap.
void copy(const Memory& from, Index from_begin, const Memory& to, Index to_begin, Index bytes);

// The same for blocks whose offsets count from `base`. Return the byte behind the last one of the row.
std::byte* pack(const std::byte* base, const Blocks& blocks, std::byte* to);
const std::byte* unpack(const std::byte* from, const Blocks& blocks, std::byte* base);

}  // namespace kumihimo::mpiio
