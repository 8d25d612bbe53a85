// Reductions by loops that the compiler vectorises, in place of MPI_Reduce_local, where a library's own takes one element after
// the other (MPICH 4.0: 64 KiB of floats in 6.9 us, these loops in 2).
#pragma once

#include <mpi.h>

#include "arithmetic/operators.hpp"

namespace kumihimo::collectives {

// Sums and products of numbers of 4 and 8 bytes, bits of whole ones, and the least and greatest of signed whole ones; the same
// bits as by MPI_Reduce_local, where an overflow wraps. Null for all else, in which libraries differ: Open MPI's sums of
// shorter numbers do not wrap, and which of a number and a NaN is the least is the library's choice.
arithmetic::Combine loop_of(MPI_Op operation, MPI_Datatype type);

}  // namespace kumihimo::collectives
