// The main of MPI tests of the file engine, which know no runtime: rank 0 reports, the others report only failures.
#include <gtest/gtest.h>
#include <mpi.h>

#include "tests/failures_only.hpp"

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FailuresOnly::listen(rank);
    int result = RUN_ALL_TESTS(), worst = 0;
    MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
