// The end of the program, of one process or of all. Fortran's images end one by one (Fortran 2018, 5.3.7): STOP with any code
// is normal termination, after which the other images go on. Everywhere else an exit status other than 0 is an error, which
// ends the job.
#pragma once

#include <string>

namespace kumihimo::execution {

void note_normal_termination();  // this process is about to exit: with whatever status, the others go on

// Whether this machine, by its number, is the one that reports an error; asked once, when the job ends by it.
void ask_before_reports(bool (*report_for_all)(int machine));

// Prints the message unless another node of this machine has reported already, and ends the job with this status.
[[noreturn]] void end_job(const std::string& message, int status) noexcept;

}  // namespace kumihimo::execution
