// The end of a job by an error. When all nodes fail alike one of them reports: the first on each machine takes a flag in shared
// memory, and each machine waits a moment longer than the one before it, whose MPI_Abort ends it meanwhile. Where machines hear
// of each other (ask_before_reports), one of them reports even if others are slow. (Before there is a flag, each node counts as
// a machine.) Nothing here waits for another node to act, so nothing can hang.
#pragma once

#include <string>

namespace kumihimo::execution {

// Whether this machine, by its number, is the one that reports an error; asked once, when the job ends by it.
void ask_before_reports(bool (*report_for_all)(int machine));

// Prints the message unless another node of this machine has reported already, and ends the job with this status.
[[noreturn]] void end_job(const std::string& message, int status) noexcept;

// Collective, at start and stop: what nodes of one machine need to agree on who reports.
void prepare_reports();
void forget_reports();

// MPICH's MPI_Abort calls exit(): whoever is called then must not begin to end the program once more.
// Another thread that comes to the end of the program meanwhile waits here until the process is ended.
bool job_is_ending();

}  // namespace kumihimo::execution
