// Array sections and what one node holds of them: where each element lies in the section (and so in a file) and in memory.
// XMP-IO and xmpnc both work on these parts; they know nothing of files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kumihimo/xmp_io.h"
#include "runtime/execution/objects.hpp"

// A section as the user describes it; a dimension that was not set is whole.
struct xmp_range {
    struct Dimension {
        bool set = false;
        kumihimo::sets::Range range;
    };
    std::vector<Dimension> dimensions;
    bool valid = true;  // xmp_set_range returns nothing, so its errors show at the first use
};

namespace kumihimo::xmpio {

using sets::Index;
using sets::Range;

// One range of global indices for each dimension, as written.
using Section = std::vector<Range>;

// Throws base::Error if the range does not fit the array. rp NULL: the whole array.
Section section_of(const execution::Array& array, const xmp_range_t* rp);
Index elements(const Section& section);
// Dimensions from the slowest to the fastest varying in a file.
std::vector<int> file_order(const sets::ArrayMapping& mapping);

// Mean number of bytes that one node owns in a row in the file. Equal on all nodes, so that they can decide by it.
Index mean_run_bytes(const sets::ArrayMapping& mapping, std::size_t element_bytes, const Section& section);

// Elements of one dimension at positions position, position + position_step, ... of the section (ascending) and at
// offsets offset, offset + offset_step, ... in bytes of the node's allocated block.
struct Strip {
    Index position, position_step, count;
    std::ptrdiff_t offset, offset_step;
    Index last_position() const { return position + (count - 1) * position_step; }
};

// Elements whose positions in the whole section and whose offsets in memory both form a progression.
struct Run {
    Index position, position_step, count;
    std::ptrdiff_t offset, offset_step;
};

// What one node holds of a section: a product of strips.
class Part {
public:
    // `coordinates` of the node in the mapping's grid.
    Part(const sets::ArrayMapping& mapping, std::size_t element_bytes, const Section& section,
         const std::vector<Index>& coordinates);

    std::size_t element_bytes() const { return element_bytes_; }
    Index elements() const;
    Index elements(Index begin, Index end) const;  // with begin <= position < end
    // Calls visit(const Run&) for the elements with begin <= position < end; the runs' first positions ascend if each
    // dimension's strips do not interleave, which holds for every distribution.
    template <typename Visit>
    void for_each_run(Index begin, Index end, Visit&& visit) const;

    // The strips of each dimension, slowest first, and the section elements between neighbours along it. Neighbouring
    // dimensions that memory and file both traverse without a gap have been joined.
    struct Dimension {
        Index stride;
        std::vector<Strip> strips;
    };
    const std::vector<Dimension>& dimensions() const { return dimensions_; }
    // As before the joining: one entry for each dimension of the array, slowest first.
    static std::vector<Dimension> unjoined(const sets::ArrayMapping& mapping, std::size_t element_bytes, const Section& section,
                                           const std::vector<Index>& coordinates);

private:
    template <typename Visit>
    void visit(std::size_t depth, Index position, std::ptrdiff_t offset, Index begin, Index end, Visit& visitor) const;
    template <typename Visit>
    void visit_all(std::size_t depth, Index position, std::ptrdiff_t offset, Visit& visitor) const;
    std::size_t element_bytes_;
    std::vector<Dimension> dimensions_;
};

// `elements` values of `bytes` each, to_step and from_step bytes apart.
void copy(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step, Index elements,
          std::size_t bytes);

// Copies between a node's block and a buffer. `whole` buffers hold every element of [begin, end) at its place; packed
// ones only the part's elements, one after another.
void gather(const Part& part, Index begin, Index end, const std::byte* block, std::byte* whole);
void scatter(const Part& part, Index begin, Index end, const std::byte* whole, std::byte* block);
std::size_t pack(const Part& part, Index begin, Index end, const std::byte* block, std::byte* packed);  // returns bytes
std::size_t unpack(const Part& part, Index begin, Index end, const std::byte* packed, std::byte* block);
std::size_t pack_whole(const Part& part, Index begin, Index end, const std::byte* whole, std::byte* packed);
std::size_t unpack_whole(const Part& part, Index begin, Index end, const std::byte* packed, std::byte* whole);

// ---- implementation of the traversal: inline, since its body is one copy of a few bytes ----

inline Index floor_divide(Index a, Index b) {
    return a / b - (a % b < 0);
}  // b > 0
inline Index ceiling_divide(Index a, Index b) {
    return -floor_divide(-a, b);
}  // b > 0

template <typename Visit>
void Part::visit(std::size_t depth, Index position, std::ptrdiff_t offset, Index begin, Index end, Visit& visitor) const {
    const Dimension& dimension = dimensions_[depth];
    // Positions along this dimension whose elements can lie in [begin, end).
    const Index lowest = floor_divide(begin - position, dimension.stride);
    const Index highest = ceiling_divide(end - position, dimension.stride) - 1;
    for (const Strip& strip : dimension.strips) {
        if (strip.position > highest) break;
        const Index first = std::max<Index>(0, ceiling_divide(lowest - strip.position, strip.position_step));
        const Index last = std::min(strip.count - 1, floor_divide(highest - strip.position, strip.position_step));
        if (first > last) continue;
        if (depth + 1 == dimensions_.size()) {
            visitor(Run{position + strip.position + first * strip.position_step, strip.position_step, last - first + 1,
                        offset + strip.offset + first * strip.offset_step, strip.offset_step});
            continue;
        }
        for (Index i = first; i <= last; ++i) {
            const Index place = position + (strip.position + i * strip.position_step) * dimension.stride;
            const std::ptrdiff_t memory = offset + strip.offset + i * strip.offset_step;
            if (begin <= place && place + dimension.stride <= end)
                visit_all(depth + 1, place, memory, visitor);
            else
                visit(depth + 1, place, memory, begin, end, visitor);
        }
    }
}

// Without the divisions that bounds cost: they would take longer than a row of some dozen elements.
template <typename Visit>
void Part::visit_all(std::size_t depth, Index position, std::ptrdiff_t offset, Visit& visitor) const {
    const Dimension& dimension = dimensions_[depth];
    for (const Strip& strip : dimension.strips) {
        if (depth + 1 == dimensions_.size()) {
            visitor(Run{position + strip.position, strip.position_step, strip.count, offset + strip.offset, strip.offset_step});
            continue;
        }
        for (Index i = 0; i < strip.count; ++i)
            visit_all(depth + 1, position + (strip.position + i * strip.position_step) * dimension.stride,
                      offset + strip.offset + i * strip.offset_step, visitor);
    }
}

template <typename Visit>
void Part::for_each_run(Index begin, Index end, Visit&& visitor) const {
    if (begin < end) visit(0, 0, 0, begin, end, visitor);
}

}  // namespace kumihimo::xmpio
