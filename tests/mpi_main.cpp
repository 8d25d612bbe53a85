// The main of every MPI test binary: starts the runtime, lets node 1 report and the others report only failures.
#include <gtest/gtest.h>
#include <mpi.h>

#include "kumihimo/generated.h"
#include "tests/failures_only.hpp"

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FailuresOnly::listen(rank);
    int result = RUN_ALL_TESTS(), worst = 0;
    MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}
