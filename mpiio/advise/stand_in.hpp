// Advice comes at the end of a program, when files that it only read may be gone: then another one of the same size is read.
#pragma once

#include <mpi.h>

#include <string>

#include "mpiio/advise/replay.hpp"

namespace kumihimo::mpiio::advise {

// Collective. Makes a file only where one is needed, and removes it at its end.
class StandIn {
public:
    StandIn(MPI_Comm comm, const Original& original);
    ~StandIn();
    StandIn(const StandIn&) = delete;

    // With the path of what can be used.
    const Original& original() const { return original_; }

private:
    Original original_;
    bool made_ = false;  // by this rank
};

}  // namespace kumihimo::mpiio::advise
