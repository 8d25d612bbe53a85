// What one node holds of a section, dimension by dimension, as PnetCDF's starts and counts need it.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpnc {

using sets::Index;

// Elements of one dimension at positions position, position + position_step, ... of the section (ascending) and at
// offsets offset, offset + offset_step, ... in bytes of the node's allocated block.
struct Strip {
    Index position, position_step, count;
    std::ptrdiff_t offset, offset_step;
};
using Dimension = std::vector<Strip>;

// One entry for each dimension of the array, slowest first, for the node at `coordinates` of the mapping's grid.
std::vector<Dimension> dimensions_of(const sets::ArrayMapping& mapping, std::size_t element_bytes,
                                     const xmpio::Section& section, const std::vector<Index>& coordinates);

// `elements` values of `bytes` each, to_step and from_step bytes apart.
void copy(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step, Index elements,
          std::size_t bytes);

}  // namespace kumihimo::xmpnc
