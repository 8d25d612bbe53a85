// Start and stop (specification A.1, A.2): under a compiled main, under a foreign main, and at every kind of exit.
#include <unistd.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "kumihimo/xmp.h"
#include "runtime/execution/mpi_calls.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/execution/termination.hpp"
#include "runtime/program/end.hpp"
#include "runtime/program/rooms.hpp"

namespace kumihimo::program {

using execution::Context;

namespace {

// A program of this MPI family under another family's launcher sees itself as N programs of one node each.
void refuse_copies() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) return;
    const auto launch = base::foreign_launch();
    if (!launch) return;
    const base::Error error(
        fmt::format("started as {} copies of node {} instead of {} nodes", launch->processes, base::node_number(0),
                    launch->processes),
        fmt::format("{} started this program ({}), but its MPI library ({}) does not understand that launcher.\n"
                    "  Start it with xmprun, or with the mpiexec of {}.",
                    launch->launcher, launch->evidence, base::family_name(), base::family_name()));
    if (launch->rank != 0) sleep(1);  // let the first copy speak before the launcher ends them all
    execution::end_job(launch->rank == 0 ? base::error_message(error, "", -1, 1) : "", 1);
}

void prepare_program(int* argc, char*** argv) {
    execution::begin_mpi(argc, argv);
    refuse_copies();
    watch_over_the_end();
}

void start_program(int* argc, char*** argv) {
    if (Context::get().running()) return declare_units();
    prepare_program(argc, argv);
    start_on(MPI_COMM_WORLD);
    execution::started_with_program = true;
}

bool mpi_runs() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    return initialized != 0;
}

// Of xmp_init where XcalableMP runs from the beginning of the program: the communicator has all nodes, in the same order.
int inits_of_a_started_program = 0;

void join_started_program(MPI_Comm communicator) {
    int compared = MPI_UNEQUAL;
    MPI_Comm_compare(communicator, Context::get().world_communicator(), &compared);
    if (!execution::started_with_program || compared == MPI_SIMILAR || compared == MPI_UNEQUAL)
        throw base::Error(execution::started_with_program ? "XcalableMP runs on all nodes from the beginning of the program"
                                                          : "XcalableMP runs already",
                          execution::started_with_program
                              ? "xmp_init with another communicator is for mains without directives."
                              : "Call xmp_finalize before the next xmp_init.");
    ++inits_of_a_started_program;
}

void init_on(MPI_Comm communicator) {
    if (Context::get().running()) return join_started_program(communicator);
    if (!mpi_runs()) prepare_program(nullptr, nullptr);
    start_on(communicator);
}

void finalize() {
    if (inits_of_a_started_program > 0)
        --inits_of_a_started_program;
    else if (Context::get().running())
        stop();
}

}  // namespace

}  // namespace kumihimo::program

using namespace kumihimo;
using namespace kumihimo::program;
using execution::guarded;

extern "C" void XMP_Count_nodes_from(int first) {
    base::count_nodes_from(first);
}

extern "C" void XMP_Start(int* argc, char*** argv) {
    guarded(nullptr, [&] { start_program(argc, argv); });
}

extern "C" void XMP_Start_units(int* argc, char*** argv) {
    if (any_units()) XMP_Start(argc, argv);
}

extern "C" void xmp_init_mpi(int* argc, char*** argv) {
    XMP_Start(argc, argv);
}

extern "C" void xmp_finalize_mpi(void) {}  // the runtime ends MPI when the program ends

extern "C" void xmp_init(MPI_Comm communicator) {
    static const XMP_Site site = {nullptr, 0, "xmp_init"};
    guarded(&site, [&] { init_on(communicator); });
}

extern "C" void XMP_Fortran_init(int communicator) {
    xmp_init(MPI_Comm_f2c(communicator));
}

extern "C" void xmp_finalize(void) {
    static const XMP_Site site = {nullptr, 0, "xmp_finalize"};
    guarded(&site, [] { finalize(); });
}

extern "C" void xmp_exit(int status) {
    std::exit(status);
}
