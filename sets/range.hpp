// The smallest set of the algebra: an arithmetic progression of indices.
// Array sections, loop iterations and the pieces of every owned set are made of these. Pure: no MPI, no I/O.
#pragma once

#include <cstdint>

namespace kumihimo::sets {

using Index = std::int64_t;

// {first, first + step, ..., first + (count - 1) * step}. `step` is never 0 and may be negative; an empty range has count 0.
struct Range {
    Index first = 0;
    Index count = 0;
    Index step = 1;

    // The range that a Fortran triplet (first:last:step) names; empty if it runs the wrong way.
    static Range triplet(Index first, Index last, Index step = 1);

    bool empty() const { return count == 0; }
    Index last() const {  // unsigned: the span may exceed 63 bits even where both ends fit
        using Bits = std::uint64_t;
        return static_cast<Index>(static_cast<Bits>(first) + static_cast<Bits>(count - 1) * static_cast<Bits>(step));
    }
    bool contains(Index index) const;
    Range ascending() const;            // the same elements, step > 0
    Range shifted(Index offset) const;  // every element + offset
    bool operator==(const Range&) const = default;
};

// Elements of both, in the order of `a`: again one progression (Chinese remainder theorem). O(log) in the steps.
Range intersect(const Range& a, const Range& b);

}  // namespace kumihimo::sets
