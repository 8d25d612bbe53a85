// The main of MPI tests of the file engine, which know no runtime: rank 0 reports, the others report only failures.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>

#include "tests/failures_only.hpp"

int main(int argc, char** argv) {
    int provided = 0;
    const bool threads = std::getenv("KUMIHIMO_TEST_ONE_THREAD") == nullptr;  // only for them files have messages of their own
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FailuresOnly::listen(rank);
    int result = RUN_ALL_TESTS(), worst = 0;
    MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
