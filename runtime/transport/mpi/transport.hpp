// One-sided MPI (MPI 3.1, chapter 11) as transport: the member that is always there.
#pragma once

#include <mpi.h>

#include <memory>

#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::mpi {

std::unique_ptr<Transport> make(MPI_Comm communicator);  // collective

}  // namespace kumihimo::transport::mpi
