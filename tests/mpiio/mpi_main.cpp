// The main of MPI tests of the file engine, which know no runtime: rank 0 reports, the others report only failures.
#include <mpi.h>

#include <cstdlib>

#include "tests/failures_only.hpp"

int main(int argc, char** argv) {
    int provided = 0;
    const bool threads = std::getenv("KUMIHIMO_TEST_ONE_THREAD") == nullptr;  // only for them files have messages of their own
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    const int worst = run_all_tests(argc, argv);
    MPI_Finalize();
    return worst;
}
