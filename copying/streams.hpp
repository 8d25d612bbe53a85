// Copies between memories in the order of their streams of bytes (sets/extents.hpp): packing and unpacking without MPI.
#pragma once

#include <cstddef>

#include "sets/extents.hpp"

namespace kumihimo::copying {

using sets::Index;

// Memory in the order of a datatype: `pattern` (one element's bytes) laid `period` apart from `base` on.
struct Memory {
    std::byte* base = nullptr;
    sets::Extents pattern;  // nothing, until somebody says what
    Index period = 1;

    bool contiguous() const { return pattern.contiguous() && pattern.size() == period; }
    std::byte* data() const { return base + pattern.true_lower(); }  // of contiguous memory
    template <typename Visit>
    void for_each(Index begin, Index end, Visit&& visit) const {  // visit(const sets::Blocks&), offsets from `base`
        sets::for_each_tiled(pattern, period, 0, begin, end, visit);
    }
};

// Stream bytes [begin, end) of a transfer's memory. Bytes in a row and memory do not overlap. Where a pattern has a byte twice,
// scatter leaves any of its values, as MPI does.
void gather(const Memory& memory, Index begin, Index end, std::byte* to);
void scatter(const std::byte* from, const Memory& memory, Index begin, Index end);

// `bytes` stream bytes of one memory to another; the two do not overlap.
void copy(const Memory& from, Index from_begin, const Memory& to, Index to_begin, Index bytes);

// The same for blocks whose offsets count from `base`. Return the byte behind the last one of the row.
std::byte* pack(const std::byte* base, const sets::Blocks& blocks, std::byte* to);
const std::byte* unpack(const std::byte* from, const sets::Blocks& blocks, std::byte* base);

}  // namespace kumihimo::copying
