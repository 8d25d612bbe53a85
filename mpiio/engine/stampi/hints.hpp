// How a file is reached: the settings KUMIHIMO_STAMPI_*, overruled by hints. Equal on all ranks: rank 0's.
#pragma once

#include "iod/way/route.hpp"
#include "mpiio/engine/hints.hpp"

namespace kumihimo::mpiio::stampi {

struct Parameters {
    iod::way::Storing::By remote_io = iod::way::Storing::posix;
    Index processes = 1;             // on the other machine, for all ranks
    Index window = Index{64} << 20;  // bytes of a rank that may be under way, at most
    Index streams = 8;               // connections of each I/O process, at most
    bool channel = false;            // bytes go by TCP, not through ssh, and nobody encrypts them
    bool compression = true;         // of what waits for a slow way
    bool one_login = true;           // of ssh, which connections of a host share
    Index behind = 0;                // kumihimo_write_behind: other than 0, independent writes may be under way at return, too
    Index permissions = default_permissions;
};

Parameters default_parameters();  // of the settings
void apply_hints(const Hints& hints, Parameters& parameters);
Hints as_hints(const Parameters& parameters);
Hints hints_for_others(const Hints& hints);  // what none of this engine's are: for the MPI-IO of the other machine

}  // namespace kumihimo::mpiio::stampi
