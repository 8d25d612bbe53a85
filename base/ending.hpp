// The end of a process that may be in the middle of anything.
#pragma once

namespace kumihimo::base {

// The process ends with this status in so many seconds, even if it waits for itself, or in MPI_Abort for a launcher that no
// longer answers: MPICH's does where the network is gone.
void end_within(unsigned seconds, int status);

// Returns when the launcher has taken what this process wrote to its standard error, or does not take it. To be called between
// the last message and MPI_Abort: MPICH's launcher ends the job without what it has not read yet. Needs no memory.
void wait_until_errors_are_read();

// What this process does when it exits, once. A handler that is set later comes first: GASNet sets one that ends the process.
// So put_exit_first() is to be called when such a library has begun; it sets ours again, if there is one.
void at_exit(void (*handler)(int status));
void put_exit_first();

}  // namespace kumihimo::base
