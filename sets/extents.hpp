// Sets of bytes with an order: flattened MPI datatypes, file views, the pieces of a file that a transfer touches. Compressed: a
// vector of a million blocks is one node, not a million; nested vectors and subarrays nest. Pure: no MPI, no I/O.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "sets/range.hpp"

namespace kumihimo::sets {

// `count` blocks of `length` bytes, the first at `offset`, `stride` apart (any sign), one after another in the stream.
struct Blocks {
    Index offset = 0, length = 0, count = 1, stride = 0;
};

// The bytes of a datatype in the order of its type map ("the stream": what MPI_Pack makes), with the bounds that its repetition
// uses. Immutable; copies share.
class Extents {
public:
    Extents();  // nothing: size 0, bounds 0
    static Extents contiguous(Index bytes);

    // ---- constructors, as MPI's: bounds follow MPI 3.1, 4.1.7 ----
    Extents repeated(Index count, Index stride) const;  // copy i shifted by i * stride: hvector of blocks of one
    Extents shifted(Index offset) const;
    Extents resized(Index lower, Index extent) const;
    // Parts one after another in the stream, each at its offset. Adjacent parts merge; equal parts at equal distances become a
    // repetition.
    static Extents sequence(std::vector<std::pair<Index, Extents>> parts);
    // Contiguous blocks {offset, length}: an indexed type of bytes.
    static Extents blocks(const std::vector<std::pair<Index, Index>>& offsets_and_lengths);

    // ---- what it is ----
    Index size() const;                      // bytes selected
    Index lower() const, upper() const;      // bounds; upper() - lower() is the extent
    Index extent() const { return upper() - lower(); }
    Index true_lower() const, true_upper() const;  // of the bytes selected
    Index runs() const;        // blocks that a visit of everything yields, each counted `count` times; a measure of raggedness
    bool contiguous() const;   // one block, starting at lower()... size() == extent() need not hold
    bool ascending() const;    // offsets never decrease and no byte occurs twice: fit for a file view

    // Visits stream bytes [begin, end), 0 <= begin <= end <= size(), as few Blocks. Cost: O(depth * log) to find begin, then
    // what is visited.
    template <typename Visit>
    void for_each(Index begin, Index end, Visit&& visit) const;
    Index offset(Index position) const;  // of stream byte `position` < size()
    Index below(Index offset) const;     // stream bytes with an offset < `offset`; precondition ascending()

private:
    struct Node;
    std::shared_ptr<const Node> node_;
};

// The same for a pattern laid end to end without end, `period` apart, from `displacement` on.
template <typename Visit>
void for_each_tiled(const Extents& pattern, Index period, Index displacement, Index begin, Index end, Visit&& visit);
Index tiled_offset(const Extents& pattern, Index period, Index position);
Index tiled_below(const Extents& pattern, Index period, Index offset);

}  // namespace kumihimo::sets
