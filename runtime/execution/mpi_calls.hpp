// Who begins and ends MPI. Under a compiled main the runtime does both, and calls of the program's own are taken for what they
// say: MPI runs behind MPI_Init, and what comes behind MPI_Finalize needs none. So an MPI program may be given directives.
#pragma once

namespace kumihimo::execution {

void begin_mpi(int* argc, char*** argv);  // unless it runs
void end_mpi();                           // if it was begun here

}  // namespace kumihimo::execution
