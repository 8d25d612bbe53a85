// A set of indices of one dimension, held as a few pieces whatever its number of elements: what one node owns of a
// dimension under any distribution, restricted to any section, and every intersection of such sets.
#pragma once

#include <functional>
#include <vector>

#include "sets/range.hpp"

namespace kumihimo::sets {

// One piece: the blocks {first + k * period + [0, length)} for k in [0, blocks), every `step`-th element being described
// by Range pieces instead. A plain Range is {length 1}; a contiguous run is {blocks 1}.
struct Piece {
    Index first = 0;   // first element of the first block
    Index length = 0;  // contiguous elements in each block, >= 1
    Index period = 1;  // distance of two blocks' first elements, >= length
    Index blocks = 0;  // number of blocks, >= 1

    Index size() const { return length * blocks; }
    Index last() const { return first + (blocks - 1) * period + length - 1; }
    bool operator==(const Piece&) const = default;
};

// Ascending, disjoint as a set (pieces may interleave). Cost of every operation grows with pieces, never with elements.
class IndexSet {
public:
    IndexSet() = default;
    explicit IndexSet(std::vector<Piece> pieces);
    static IndexSet interval(Index lower, Index upper);  // empty if upper < lower
    static IndexSet of(const Range& range);              // elements only; direction is the caller's

    bool empty() const { return pieces_.empty(); }
    Index size() const;
    Index lowest() const;   // precondition: not empty
    Index highest() const;  // precondition: not empty
    bool contains(Index index) const;
    const std::vector<Piece>& pieces() const { return pieces_; }

    IndexSet intersect(const IndexSet& other) const;
    IndexSet shifted(Index offset) const;

    // Maximal contiguous runs in ascending order: visit(first, length).
    void for_each_run(const std::function<void(Index first, Index length)>& visit) const;
    std::vector<Range> runs() const;  // the same as a list of step-1 ranges

private:
    std::vector<Piece> pieces_;
};

}  // namespace kumihimo::sets
