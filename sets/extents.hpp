// Sets of bytes with an order: flattened MPI datatypes, file views, the pieces of a file that a transfer touches. Compressed: a
// vector of a million blocks is one node, not a million; nested vectors and subarrays nest. Pure: no MPI, no I/O.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sets/blocks.hpp"
#include "sets/pattern_walk.hpp"

namespace kumihimo::sets {

// The bytes of a datatype in the order of its type map ("the stream": what MPI_Pack makes), with the bounds that its repetition
// uses. Immutable; copies share. Counts and sizes are not negative; offsets, strides and bounds have any sign.
class Extents {
public:
    Extents() = default;  // nothing: size 0, bounds 0
    static Extents contiguous(Index bytes);

    // ---- constructors, as MPI's: bounds follow MPI 3.1, 4.1.7 ----
    Extents repeated(Index count, Index stride) const;  // copy i shifted by i * stride: hvector of blocks of one
    Extents shifted(Index offset) const;
    Extents resized(Index lower, Index extent) const;
    // Parts one after another in the stream, each at its offset. Adjacent parts merge; equal parts at equal distances become a
    // repetition. Bounds: those of all parts; if some part was resized, of the resized ones only.
    static Extents sequence(const std::vector<std::pair<Index, Extents>>& parts);
    // Contiguous blocks {offset, length}: an indexed type of bytes.
    static Extents blocks(const std::vector<std::pair<Index, Index>>& offsets_and_lengths);
    // What a visit of other extents yielded.
    static Extents blocks(std::span<const Blocks> parts);

    // ---- what it is ----
    Index size() const { return pattern_ ? pattern_->size : 0; }  // bytes selected
    Index lower() const { return lower_; }                        // bounds; upper() - lower() is the extent
    Index upper() const { return upper_; }
    Index extent() const { return upper_ - lower_; }
    Index true_lower() const { return pattern_ ? at_ + pattern_->lower : 0; }  // of the bytes selected
    Index true_upper() const { return pattern_ ? at_ + pattern_->upper : 0; }
    // Blocks that a visit of everything yields, each counted `count` times; a measure of raggedness.
    Index runs() const { return pattern_ ? pattern_->runs : 0; }
    // One block, at true_lower(), or nothing.
    bool contiguous() const { return runs() <= 1; }
    // Offsets never decrease and no byte occurs twice: fit for a file view.
    bool ascending() const { return !pattern_ || pattern_->ascending; }

    // Visits stream bytes [begin, end), 0 <= begin <= end <= size(), as few Blocks: visit(const Blocks&). Cost: O(depth * log)
    // to find begin, then what is visited. Neighbours may be adjacent where copies of a repetition meet.
    template <typename Visit>
    void for_each(Index begin, Index end, Visit&& visit) const {
        for_each_nest(begin, end, [&](const Nest& nest) { for_each_blocks(nest, visit); });
    }
    // The same as whole loop nests: visit(const Nest&), and whole lists if the visitor takes them (pattern_walk.hpp).
    template <typename Visit>
    void for_each_nest(Index begin, Index end, Visit&& visit) const {
        if (begin < end) PatternWalk(visit).part(*pattern_, at_, begin, end);
    }
    Index offset(Index position) const { return at_ + pattern_->offset(position); }  // of stream byte `position` < size()

    // ---- by place; precondition ascending() ----
    Index below(Index offset) const;  // stream bytes with an offset < `offset`
    Index within(Index begin, Index end) const { return below(end) - below(begin); }
    // Visits the bytes with offsets in [begin, end): visit(const Blocks&).
    template <typename Visit>
    void for_each_within(Index begin, Index end, Visit&& visit) const {
        for_each(below(begin), below(end), visit);
    }
    bool contiguous_within(Index begin, Index end) const;  // one block there, not nothing

private:
    friend Extents tiled_part(const Extents& pattern, Index period, Index displacement, Index begin, Index end);
    Extents(PlacedPattern pattern);
    bool has_bounds() const { return size() > 0 || marked_; }

    SharedPattern pattern_;  // none: no bytes
    Index at_ = 0;           // offset of the first byte
    Index lower_ = 0, upper_ = 0;
    bool marked_ = false;  // resized said the bounds
};

// ---- a pattern laid end to end without end, `period` apart, from `displacement` on ----

// Copies [first, first + count) of it.
Extents tiles(const Extents& pattern, Index period, Index first, Index count);

template <typename Visit>  // as for_each_nest
void for_each_tiled_nest(const Extents& pattern, Index period, Index displacement, Index begin, Index end, Visit&& visit) {
    if (begin >= end || pattern.size() == 0) return;
    const Index size = pattern.size();
    if (size == period && pattern.contiguous())  // the common case, without building anything
        return visit(Nest{displacement + pattern.true_lower() + begin, end - begin, {}});
    const Index first = begin / size, count = (end - 1) / size - first + 1;
    tiles(pattern, period, first, count).shifted(displacement).for_each_nest(begin - first * size, end - first * size, visit);
}
template <typename Visit>  // visit(const Blocks&)
void for_each_tiled(const Extents& pattern, Index period, Index displacement, Index begin, Index end, Visit&& visit) {
    for_each_tiled_nest(pattern, period, displacement, begin, end, [&](const Nest& nest) { for_each_blocks(nest, visit); });
}
// Stream bytes [begin, end), as they are in the tiles.
Extents tiled_part(const Extents& pattern, Index period, Index displacement, Index begin, Index end);
Index tiled_offset(const Extents& pattern, Index period, Index position);  // of stream byte `position`; size() > 0
// Stream bytes with an offset < `offset`; precondition tiled_ascending. 0 if the pattern has no bytes.
Index tiled_below(const Extents& pattern, Index period, Index offset);
// Whether offsets ascend without end: the pattern's do, and no copy begins before the one before it ends.
bool tiled_ascending(const Extents& pattern, Index period);

}  // namespace kumihimo::sets
