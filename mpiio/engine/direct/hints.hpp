// What the program may choose (MPI_Info, MPI 3.1, 13.2.8): values in force are plain data, since rank 0's hold for all ranks.
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::direct {

enum class Switch : int { automatic, on, off };

// How a collective transfer is done; `automatic` asks the cost model.
enum class Strategy : int { automatic, independent, deferred, two_phase };

struct Parameters {
    Index collective_buffer_bytes = Index{4} << 20;  // cb_buffer_size: that an aggregator moves at once
    Index aggregators = 0;                           // cb_nodes; 0: the cost model's choice
    Switch collective_write = Switch::automatic;     // romio_cb_write: through aggregators
    Switch collective_read = Switch::automatic;      // romio_cb_read
    Switch sieve_read = Switch::automatic;           // romio_ds_read: read through gaps
    Index read_buffer_bytes = Index{4} << 20;        // ind_rd_buffer_size
    Index write_buffer_bytes = Index{4} << 20;       // ind_wr_buffer_size
    Index log_bytes = Index{4} << 20;                // kumihimo_write_behind: of writes deferred; 0: none is
    // Whether the program or its user asked for write-behind. Independent writes wait only then: HDF5 and others read what
    // another rank wrote after a barrier, without the sync that MPI asks for. Collective writes wait in any case, since the
    // next collective call finds them.
    bool behind_asked = false;
    Index small_bytes = 0;  // kumihimo_small_write: a write below this may be deferred; 0: by the file system
    Strategy collective = Strategy::automatic;  // kumihimo_collective
};

// The settings' values, changed by what the program gives. Values that make no sense are ignored, as the standard allows.
Parameters default_parameters();
void apply(const Hints& hints, Parameters& parameters);
Hints as_hints(const Parameters& parameters);

}  // namespace kumihimo::mpiio::direct
