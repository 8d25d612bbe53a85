// The definitions of MPI functions that come after this library in the link order: another tool's, else the MPI library's.
// What is not served goes there untouched; what the library itself needs of MPI_File_* must go there too, since the plain
// names are its own entry points.
//
//     constinit Next<decltype(PMPI_File_close)> close_real{"PMPI_File_close"};
//     close_real(&handle);
#pragma once

#include "base/next.hpp"

namespace kumihimo::mpiio {

// The address, or nullptr after a message: the MPI library in this process is older than the mpi.h of the build.
void* find_next(const char* name);

template <typename Function>
using Next = base::Next<Function, find_next>;

}  // namespace kumihimo::mpiio
