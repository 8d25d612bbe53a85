#include "mpiio/file/next.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace kumihimo::mpiio {

void* find_next(const char* name) {
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == nullptr)
        std::fprintf(stderr,
                     "kumihimo: error: the MPI library of this program has no %s, but the one that libkumihimo_io was built for has.\n"
                     "  Build Kumihimo again with the MPI of this machine.\n",
                     name);
    return found;
}

}  // namespace kumihimo::mpiio
