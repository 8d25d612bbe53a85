// The reduction operators (specification 4.4.3, 4.5.4) for every element type, as functions on memory and as MPI operations.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "arithmetic/operators.hpp"

namespace kumihimo::teams {

struct Operation {
    arithmetic::Combine loop = nullptr;
    MPI_User_function* function = nullptr;  // the same for MPI
    std::size_t bytes = 0;                  // of an element

    void combine(void* into, const void* from, std::size_t count) const {
        loop(static_cast<std::byte*>(into), static_cast<const std::byte*>(from), count);
    }
    MPI_Op mpi_operation() const;      // made at first use
    MPI_Datatype mpi_element() const;  // `bytes` bytes
};

// `operation` as in XMP_Operator, `type` as in XMP_Type. firstmax and lastmax are max, firstmin and lastmin are min.
// Throws base::Error where the operator has no meaning for the type.
const Operation& operation_of(int operation, int type);

// firstmax ... lastmin. The iteration numbers are sequential numbers of iterations, -1: none.
struct Located {
    unsigned char value[32];  // of any type: copied out before it is looked at
    long long iteration;
    long long node;  // number in the node set
};
bool is_located(int operation);
// Combines records: the greater (smaller) value wins; of equal values the first (last) iteration. No iteration never wins.
const Operation& located_operation(int operation, int type);
// Whether a value found by the loop replaces the one from before it: for first... it must be better, for last... as good.
bool replaces(int operation, int type, const void* found, const void* before);

}  // namespace kumihimo::teams
