// The main of every MPI test binary: starts the runtime, lets node 1 report and the others report only failures.
#include "kumihimo/generated.h"
#include "tests/failures_only.hpp"

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    return run_all_tests(argc, argv);
}
