// One-sided communication by messages of two sides: an image asks another by a record (record.hpp), and that one does it when
// it polls. For MPI libraries without one-sided communication that works, or with a slow one.
#pragma once

#include <mpi.h>

#include <memory>

#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::messages {

std::unique_ptr<Transport> make(MPI_Comm communicator);  // collective

}  // namespace kumihimo::transport::messages
