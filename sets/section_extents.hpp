// What one node holds of a section of a global array, as bytes with an order: at its places in the section, which are those in
// a file, and in the node's block. Both have the same stream: the elements in the order in which the section's own order, its
// fastest dimension first, meets them. Pure: no MPI, no I/O.
#pragma once

#include <vector>

#include "sets/extents.hpp"
#include "sets/mapping.hpp"

namespace kumihimo::sets {

struct SectionExtents {
    Extents section;  // offsets from the section's first byte; they ascend
    Extents block;    // offsets from the block's first byte, shadow included
};

// For the node at `coordinates` of the mapping's grid. `section`: one range of global indices for each dimension, within the
// array; elements lie without gaps in it. Cost: the pieces of each dimension, never elements.
SectionExtents section_extents(const ArrayMapping& mapping, Index element_bytes, const std::vector<Range>& section,
                               const std::vector<Index>& coordinates);

// Dimensions from the slowest varying one to the fastest, in memory and in files.
std::vector<int> slowest_first(const ArrayMapping& mapping);

}  // namespace kumihimo::sets
