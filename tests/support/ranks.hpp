// This rank of MPI_COMM_WORLD, and how many there are.
#pragma once

#include <mpi.h>

namespace kumihimo::support {

inline int rank() {
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    return number;
}

inline int ranks() {
    int count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

}  // namespace kumihimo::support
