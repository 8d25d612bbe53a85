// The end of the program, of one process or of all. Fortran's images end one by one (Fortran 2018, 5.3.7): STOP with any code
// is normal termination, after which the other images go on. Everywhere else an exit status other than 0 is an error, which
// ends the job.
#pragma once

namespace kumihimo::program {

// Collective, after MPI has begun: the runtime watches over the end of a program that it begins MPI for.
void watch_over_the_end();

void note_normal_termination();  // this process is about to exit: with whatever status, the others go on

}  // namespace kumihimo::program
