// The other processes of this job on this machine, as far as one launcher started them.
#pragma once

namespace kumihimo::base {

// Lets stopped siblings go on, so that they receive the signal that ends them: MPICH's launcher sends one that a stopped
// process does not take, and waits for it for ever. To be called right before MPI_Abort.
void wake_stopped_siblings();

}  // namespace kumihimo::base
