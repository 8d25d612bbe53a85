// MPICH 4.0 over UCX may wait for ever in MPI_Finalize where ranks are on several machines. A rank closes its endpoints, which
// waits for answers of its peers, and then waits in a barrier of the launcher, in which it answers nobody (mended later:
// pmodels/mpich pull request 6596). Here such a rank has a thread that goes on answering until the barrier is over.
#pragma once

namespace kumihimo::execution {

// In MPI_Finalize, before the MPI library's own. Nothing for other MPI libraries.
void answer_until_the_end();

}  // namespace kumihimo::execution
