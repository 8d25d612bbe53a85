// Inside runtime/execution only: how the inquiry functions number dimensions and report (specification 7.6; decision LIB-01).
#pragma once

#include <limits>

#include "base/error.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::execution::inquiry {

inline constexpr int success = 0, failure = -1;

// Node arrays and templates count their dimensions in Fortran's order: 1 is the one that varies fastest, the rightmost
// bracket of the [ ] form. Global arrays count as written, from the left. `dim` is 1-based; -1: there is no such dimension.
inline int as_written(sets::Order order, int rank, int dim) {
    if (dim < 1 || dim > rank) return -1;
    return order == sets::Order::row_major ? rank - dim : dim - 1;
}
inline int in_fortran_order(sets::Order order, int rank, int d) {
    return order == sets::Order::row_major ? rank - d : d + 1;
}
inline int as_written(const Array& array, int dim) {
    return dim < 1 || dim > array.rank ? -1 : dim - 1;
}

// Stores a number if it fits the int of the interface.
inline int give(int* result, Index value) {
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) return failure;
    *result = static_cast<int>(value);
    return success;
}

// Runs an inquiry; a descriptor of the wrong kind is a failure, not the end of the job.
template <typename Body>
int answer(Body&& body) noexcept {
    try {
        return body();
    } catch (const base::Error&) {
        return failure;
    }
}

}  // namespace kumihimo::execution::inquiry
