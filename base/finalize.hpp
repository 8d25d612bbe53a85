// What is kept until the end of MPI (operations, datatypes, communicators, persistent requests, files) is given back when
// MPI_Finalize begins, whoever calls it: MPICH complains about what is left.
#pragma once

namespace kumihimo::base {

// Calls `release` at the beginning of MPI_Finalize, when MPI can still do everything; the latest registration first.
void at_finalize(void (*release)());

}  // namespace kumihimo::base
