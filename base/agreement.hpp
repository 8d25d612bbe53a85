// Error agreement ("no lone exit"): a failure on one node becomes the same failure on all, before anybody leaves the call.
#pragma once

#include <mpi.h>

#include <optional>

#include "base/failure.hpp"

namespace kumihimo::base {

// Collective. The failure of the lowest node that has one, its text naming the node (which MPI programs call a rank); none if
// all are well.
std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine, const char* noun = "node");

// The parts of an agreement, for rooms that agree on more than a failure: the element-wise minimum, and the failure of the
// node that the minimum names. Collective.
void lowest(MPI_Comm comm, const void* mine, void* result, int count, MPI_Datatype type);
Failure broadcast_failure(MPI_Comm comm, int root, const std::optional<Failure>& mine, const char* noun = "node");

}  // namespace kumihimo::base
