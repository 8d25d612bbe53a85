#include "mpiio/file/process.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#include "base/family.hpp"
#include "base/wait.hpp"

// Each copy of the entry points has this name: in libkumihimo_io, preloaded or linked, and in libkumihimo.
extern "C" __attribute__((visibility("default"))) const char kumihimo_io_entries = 0;

namespace kumihimo::mpiio {

namespace {

bool check_family() {
    const std::string family = base::family_of_program();
    if (family.empty() || family == base::family_name()) return true;
    std::fprintf(
        stderr,
        "kumihimo: error: this program is of %s, but the libkumihimo_io preloaded or linked is of %s: MPI_File_* functions "
        "return errors.\n  Take lib/%s/libkumihimo_io.so.\n",
        family.c_str(), base::family_name(), family.c_str());
    return false;
}

}  // namespace

bool right_family() {
    static const bool right = check_family();
    return right;
}

bool serving() {
    static const bool last = dlsym(RTLD_NEXT, "kumihimo_io_entries") == nullptr;
    return last && right_family();
}

void prepare_waiting() {
    static const bool once = [] {
        base::set_waiting(base::processes_here().value_or(1), base::processors_online());
        return true;
    }();
    (void)once;
}

}  // namespace kumihimo::mpiio
