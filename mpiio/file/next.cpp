#include "mpiio/file/next.hpp"

#include <dlfcn.h>

#include <cstdio>

#include "mpiio/file/process.hpp"

namespace kumihimo::mpiio {

void* find_next(const char* name) {
    if (!right_family()) return nullptr;
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == nullptr)
        std::fprintf(stderr,
                     "kumihimo: error: the MPI library of this program has no %s, which libkumihimo_io was built with.\n"
                     "  Build Kumihimo again with the MPI of this machine.\n",
                     name);
    return found;
}

}  // namespace kumihimo::mpiio
