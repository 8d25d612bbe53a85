// Inside runtime/execution only: ending the job with one message.
#pragma once

#include <string>

#include "kumihimo/generated.h"

namespace kumihimo::execution {

// Collective, at start and stop: what nodes of one machine need to agree on who reports.
void prepare_reports();
void forget_reports();

// MPICH's MPI_Abort calls exit(): whoever is called then must not begin to end the program once more.
// Another thread that comes to the end of the program meanwhile waits here until the process is ended.
bool job_is_ending();

// Prints the message unless another node of this machine has reported already, and ends the job with this status.
[[noreturn]] void end_job(const std::string& message, int status) noexcept;

}  // namespace kumihimo::execution
