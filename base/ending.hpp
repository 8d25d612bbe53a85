// The end of a process that may be in the middle of anything.
#pragma once

namespace kumihimo::base {

// The process ends with this status in so many seconds, even if it waits for itself, or in MPI_Abort for a launcher that no
// longer answers: MPICH's does where the network is gone.
void end_within(unsigned seconds, int status);

}  // namespace kumihimo::base
