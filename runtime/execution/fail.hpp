// Inside runtime/execution only: ending the job with one message.
#pragma once

#include <string>

#include "kumihimo/generated.h"
#include "runtime/execution/termination.hpp"

namespace kumihimo::execution {

// Collective, at start and stop: what nodes of one machine need to agree on who reports.
void prepare_reports();
void forget_reports();

// MPICH's MPI_Abort calls exit(): whoever is called then must not begin to end the program once more.
// Another thread that comes to the end of the program meanwhile waits here until the process is ended.
bool job_is_ending();

}  // namespace kumihimo::execution
