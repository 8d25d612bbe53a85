// What `kumihimo files advise` says about a file: what the MPI library took, and what the engine would that the rules
// choose: the same calls are done again on a scratch file by both.
#pragma once

#include <mpi.h>

#include <string>

#include "mpiio/advise/replay.hpp"
#include "mpiio/advise/trace.hpp"

namespace kumihimo::mpiio::advise {

// Collective, after the file was closed; rank 0 writes where KUMIHIMO_IO_REPORT says.
void report_advice(MPI_Comm comm, const Trace& trace, const Original& original, const std::string& engine);

}  // namespace kumihimo::mpiio::advise
