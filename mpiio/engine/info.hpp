// MPI_Info objects as maps and back.
#pragma once

#include <mpi.h>

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio {

Hints hints_of(MPI_Info info);         // MPI_INFO_NULL: none
MPI_Info info_of(const Hints& hints);  // a new object; the caller frees it

}  // namespace kumihimo::mpiio
