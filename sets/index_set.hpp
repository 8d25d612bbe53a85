// A set of indices of one dimension, held as a few pieces whatever its number of elements: what one node owns of a
// dimension under any distribution, restricted to any section, and every intersection of such sets.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sets/range.hpp"

namespace kumihimo::sets {

// One piece: the blocks {first + k * period + [0, length)} for k in [0, blocks). A plain Range has length 1; a contiguous run
// has blocks 1 (and period = length).
struct Piece {
    Index first = 0;   // first element of the first block
    Index length = 0;  // contiguous elements in each block, >= 1
    Index period = 1;  // distance of two blocks' first elements, >= length
    Index blocks = 0;  // number of blocks, >= 1

    Index size() const { return length * blocks; }
    Index last() const { return first + (blocks - 1) * period + length - 1; }
    bool operator==(const Piece&) const = default;
};

// Pieces are ascending in their first elements and disjoint; they may interleave. Cost of every operation grows with pieces,
// never with elements. The intersection of two pieces has at most
//     min(ceiling((a.length + b.length - 1) / gcd(periods)), 3 * blocks of the coarser piece where the hulls overlap)
// pieces and costs as many steps (sets/README.md).
class IndexSet {
public:
    IndexSet() = default;
    explicit IndexSet(std::vector<Piece> pieces);        // in any order, disjoint; empty pieces are dropped
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

// Where the elements of a set, all of which are the range's, stand in the range's own order: element k of the range is k.
IndexSet positions(const IndexSet& set, const Range& range);

struct Run {
    Index first = 0, length = 0;
};

// Walks the maximal contiguous runs of a set in ascending order, one at a time; the set must outlive it.
class RunCursor {
public:
    explicit RunCursor(const IndexSet& set);
    explicit RunCursor(IndexSet&&) = delete;
    bool next(Run& run);  // false at the end

private:
    struct Active {  // a piece that has begun: its next block
        Index start;
        std::size_t piece;
        Index blocks_left;
        bool operator<(const Active& other) const { return start > other.start; }  // heap: the lowest on top
    };
    bool next_block(Run& block);

    const std::vector<Piece>& pieces_;
    std::size_t next_piece_ = 0;
    std::vector<Active> active_;
    Run pending_;
};

}  // namespace kumihimo::sets
