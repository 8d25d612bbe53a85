// What this room keeps until the end of MPI (operations, datatypes, communicators, persistent requests) is given back when
// MPI_Finalize begins, whoever calls it: MPICH complains about what is left.
#pragma once

namespace kumihimo::globalview {

// Calls `release` at the beginning of MPI_Finalize; the latest registration first.
void at_finalize(void (*release)());

}  // namespace kumihimo::globalview
