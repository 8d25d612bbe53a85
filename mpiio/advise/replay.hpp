// Does the calls of a trace again, on a scratch file beside the original, by the MPI library or by one of our engines.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpiio/advise/trace.hpp"

namespace kumihimo::mpiio::advise {

struct Original {
    std::string path;
    int amode;
    MPI_Offset size;  // when it was opened; what a scratch file for reading holds
    bool only_read() const { return (amode & MPI_MODE_RDONLY) != 0; }
};

// Of the file that is written instead of the original.
std::string scratch_path(const Original& original);

// Collective: the seconds of the slowest rank from open to close, or a negative number if it was not possible.
// engine: one of engines(), or empty for the MPI library.
double replay(MPI_Comm comm, const Trace& trace, const Original& original, const std::string& engine);

// The seconds that replay() takes, shared out: the part of all calls that the steps are. Collective.
double replayed_part(MPI_Comm comm, const Trace& trace);

}  // namespace kumihimo::mpiio::advise
