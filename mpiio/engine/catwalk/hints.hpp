// How a file is written: the settings KUMIHIMO_CATWALK_*, overruled by the hints kumihimo_catwalk_*. Equal on all ranks: rank
// 0's.
#pragma once

#include "iod/protocol/messages.hpp"
#include "mpiio/engine/hints.hpp"

namespace kumihimo::mpiio::catwalk {

struct Parameters {
    Index method = 0, topology = 0;  // iod::Method, iod::Topology
    Index merge = 1, durable = 1, accept_incomplete = 0;
    Index servers = 1;
    Index largest_record = 32 << 10;
    Index sort_buffer = 64 << 20;   // bytes of each host
    Index stripe = 64 << 20;        // bytes of the file that belong to one server at a time
    Index ring = 1 << 20;           // bytes of each rank
    Index direct_from = 256 << 10;  // bytes of a piece that need not pass through an I/O process
    Index groups_of_machine = 1;    // KUMIHIMO_CATWALK_HOSTS
    Index permissions = default_permissions;
    std::string journal_directory = {};  // empty: the agent's choice
};

Parameters default_parameters();                               // of the settings
void apply_hints(const Hints& hints, Parameters& parameters);  // values that make no sense are ignored (MPI 3.1, 13.2.8)
Hints as_hints(const Parameters& parameters);                  // apply_hints() makes the same parameters of them
iod::Options options_of(const Parameters& parameters);

}  // namespace kumihimo::mpiio::catwalk
