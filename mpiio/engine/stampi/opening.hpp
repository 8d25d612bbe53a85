// How all ranks open a file of another machine, or none does.
#pragma once

#include "iod/client/remote.hpp"
#include "mpiio/engine/groups.hpp"
#include "mpiio/engine/stampi/hints.hpp"
#include "mpiio/engine/stampi/way.hpp"

namespace kumihimo::mpiio::stampi {

// What an open file is made of on one rank.
struct State {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, ranks = 1;
    iod::way::Name name;
    int amode = 0;
    Parameters parameters;
    Groups groups;         // of ranks that share an I/O process
    bool channel = false;  // this rank's group has one
    std::unique_ptr<iod::Remote> remote;

    std::string text() const { return name.text(); }
    int group() const { return groups.group_of_rank[static_cast<std::size_t>(rank)]; }
    std::size_t ranks_here() const { return groups.ranks[static_cast<std::size_t>(group())].size(); }  // of this one's group
    // This rank's part of the connections, with the one that all of its group share.
    std::size_t streams_here() const { return 1 + (static_cast<std::size_t>(parameters.streams) - 1) / ranks_here(); }
    bool leads() const { return groups.leader(group()) == rank; }
};

// Collective. A failure is the same on all ranks, and then nothing is left open.
std::optional<Failure> open_together(State& state, const OpenRequest& request, const Target& target);

}  // namespace kumihimo::mpiio::stampi
