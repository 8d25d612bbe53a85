// XcalableMP in this process begins and ends: every room of the runtime in its order, and the program's units, each of which
// declares its nodes, templates, arrays and coarrays.
#pragma once

#include <mpi.h>

namespace kumihimo::program {

void start_on(MPI_Comm parent);  // collective over it
void stop();                     // collective, where it has started
void declare_units();            // those that have registered since
bool any_units();

}  // namespace kumihimo::program
