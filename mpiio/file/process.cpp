#include "mpiio/file/process.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#include "base/family.hpp"
#include "base/wait.hpp"

// Each copy of the library has this name; the linker finds that of the first copy.
extern "C" __attribute__((visibility("default"))) const char kumihimo_io_first = 0;

namespace kumihimo::mpiio {

namespace {

// Addresses of this copy are hidden from others' definitions of the name by the alias.
extern "C" __attribute__((visibility("hidden"), alias("kumihimo_io_first"))) const char kumihimo_io_this;

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
    static const bool first = [] {
        const void* const found = dlsym(RTLD_DEFAULT, "kumihimo_io_first");
        return found == nullptr || found == &kumihimo_io_this;
    }();
    return first && right_family();
}

void prepare_waiting() {
    static const bool once = [] {
        base::set_waiting(base::processes_here().value_or(1), base::processors_online());
        return true;
    }();
    (void)once;
}

}  // namespace kumihimo::mpiio
