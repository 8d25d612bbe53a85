// What this process keeps between its files: connections with I/O processes.
#pragma once

#include "iod/client/link.hpp"

namespace kumihimo::mpiio::catwalk {

iod::Links& links();  // empty after MPI_Finalize

}  // namespace kumihimo::mpiio::catwalk
