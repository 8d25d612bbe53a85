// What ranks tell each other when a file is opened: bytes of any length, in waits that give the processor away. Collective.
#pragma once

#include <mpi.h>

#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::mpiio {

iod::Payload broadcast(MPI_Comm comm, const iod::Payload& of_first);            // rank 0's
std::vector<iod::Payload> gather_all(MPI_Comm comm, const iod::Payload& mine);  // by rank

}  // namespace kumihimo::mpiio
