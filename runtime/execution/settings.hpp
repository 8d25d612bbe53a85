// The settings of libkumihimo, checked and agreed on when it starts.
#pragma once

#include <mpi.h>

namespace kumihimo::execution {

// Collective. Throws base::Error, the same on all nodes, if a setting of any node makes no sense.
void agree_on_settings(MPI_Comm communicator);

}  // namespace kumihimo::execution
