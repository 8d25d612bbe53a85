// What engines count besides Counters, of all ranks together.
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio {

// Collective. On rank 0: of each name the sum over ranks, of names that end in seconds the slowest rank's, in the order of
// first mention.
Details totals_of_details(MPI_Comm comm, const Details& mine);

}  // namespace kumihimo::mpiio
