// All nodes of the program, and this process among them, from the start of XcalableMP to its end.
#pragma once

#include <mpi.h>

namespace kumihimo::execution {

extern bool started;  // and not stopped

struct World {
    static World& get();
    void start(MPI_Comm communicator);  // collective; it is freed by stop()
    void stop();

    int rank = 0, size = 1;
    MPI_Comm communicator = MPI_COMM_NULL;          // the program may have it, too
    MPI_Comm private_communicator = MPI_COMM_NULL;  // rooms of the runtime differ by tags
};

}  // namespace kumihimo::execution
