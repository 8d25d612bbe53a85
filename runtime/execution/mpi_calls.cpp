#include "runtime/execution/mpi_calls.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include "base/completion.hpp"
#include "base/family.hpp"
#include "base/next.hpp"
#include "base/one_sided.hpp"
#include "base/wait.hpp"
#include "kumihimo/generated.h"
#include "kumihimo/localview.h"
#include "runtime/transport/helping.hpp"

namespace kumihimo::execution {

namespace {

bool owns_mpi = false;  // it was begun here, so it is ended here as well

// Behind this library; the MPI library's other name where nobody else has one.
void* find_next(const char* name) {
    void* const next = dlsym(RTLD_NEXT, name + 1);
    return next != nullptr ? next : dlsym(RTLD_DEFAULT, name);
}

// The first in the program: that of a tool, else the one below.
template <typename Function>
Function* first(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// As far as the launcher tells, before MPI begins. A launcher may have bound this process to a processor of its own.
bool processors_are_few() {
    const int available = base::processors_available();
    return base::processes_here().value_or(1) > (available > 1 ? available : base::processors_online());
}

constinit base::Next<decltype(PMPI_Init), find_next> init_next{"PMPI_Init"};
constinit base::Next<decltype(PMPI_Init_thread), find_next> init_thread_next{"PMPI_Init_thread"};
constinit base::Next<decltype(PMPI_Finalize), find_next> finalize_next{"PMPI_Finalize"};

}  // namespace

void begin_mpi(int* argc, char*** argv) {
    int initialized = 0, provided = 0;
    MPI_Initialized(&initialized);
    if (initialized) return;
    base::allow_one_sided();
    const bool helper = transport::thread_is_wanted(XMP_local_view != 0);
    const bool threads = helper || base::patience_seconds() > 0;  // the watchdog is another
    const int level = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
    first<decltype(MPI_Init_thread)>("MPI_Init_thread")(argc, argv, level, &provided);
    owns_mpi = true;
}

void end_mpi() {
    if (!owns_mpi) return;
    owns_mpi = false;
    first<decltype(MPI_Finalize)>("MPI_Finalize")();
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

// MPICH's own waits, in MPI_Init and MPI_Finalize above all, keep the processor from those for whom they wait: then each
// message costs a time slice.
extern "C" void kumihimo_polled(unsigned events) {
    constexpr int polls_before_yielding = 20;
    static const bool few = processors_are_few();
    thread_local int fruitless = 0;
    if (!few) return;
    fruitless = events == 0 ? fruitless + 1 : 0;
    if (fruitless > polls_before_yielding) sched_yield();
}

extern "C" int XMP_Owns_mpi(void) {
    return owns_mpi ? 1 : 0;
}

extern "C" int MPI_Init(int* argc, char*** argv) {
    if (owns_mpi) return MPI_SUCCESS;
    kumihimo::base::allow_one_sided();
    return init_next(argc, argv);
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    if (owns_mpi) return MPI_Query_thread(provided);
    kumihimo::base::allow_one_sided();
    return init_thread_next(argc, argv, required, provided);
}

extern "C" int MPI_Finalize(void) {
    if (owns_mpi) return MPI_SUCCESS;
    return finalize_next();
}
