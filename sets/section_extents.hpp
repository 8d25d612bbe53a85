// What one node holds of a section of a global array, as bytes with an order: at its places in the section, which are those in
// a file, and in the node's block. Both have the same stream: the elements in the order in which the section's own order, its
// fastest dimension first, meets them. Pure: no MPI, no I/O.
#pragma once

#include <utility>
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

// Copies of `inner`, which is all that faster dimensions select, one for each index. offset: of an index, in bytes; linear
// within a range, and alike for each time that ranges repeat.
template <typename Offset>
Extents extents_along(const Extents& inner, const std::vector<Repetition>& owned, Offset&& offset) {
    std::vector<std::pair<Index, Extents>> parts;
    for (const Repetition& repetition : owned) {
        std::vector<std::pair<Index, Extents>> ranges;
        for (const Range& range : repetition.ranges) {
            const Index at = offset(range.first), stride = range.count > 1 ? offset(range.first + range.step) - at : 0;
            ranges.emplace_back(at, inner.repeated(range.count, stride));
        }
        const Index first = repetition.ranges.front().first;
        const Index stride = repetition.times > 1 ? offset(first + repetition.distance) - offset(first) : 0;
        parts.emplace_back(0, Extents::sequence(ranges).repeated(repetition.times, stride));
    }
    return Extents::sequence(parts);
}

// Dimensions from the slowest varying one to the fastest, in memory and in files.
std::vector<int> slowest_first(const ArrayMapping& mapping);

}  // namespace kumihimo::sets
