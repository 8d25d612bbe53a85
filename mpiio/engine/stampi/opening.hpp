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
    std::string path;  // there
    int amode = 0;
    Parameters parameters;
    Groups groups;  // of ranks that share an I/O process
    std::vector<int> host_of_group;
    iod::WayThere way;     // of the rank that found it
    std::string logins;    // of ssh, which connections share; empty: they do not
    bool channel = false;  // this rank's group has one
    std::unique_ptr<iod::Remote> remote;

    std::string text() const { return name.text(); }
    int group() const { return groups.group_of_rank[static_cast<std::size_t>(rank)]; }
    std::size_t ranks_here() const { return groups.ranks[static_cast<std::size_t>(group())].size(); }  // of this one's group
    // A rank's part of the connections, besides the one that all of its group share.
    std::size_t further_streams(int group_of_it) const {
        return (static_cast<std::size_t>(parameters.streams) - 1) / groups.ranks[static_cast<std::size_t>(group_of_it)].size();
    }
    bool leads() const { return groups.leader(group()) == rank; }
};

// Collective. A failure is the same on all ranks, and then nothing is left open.
std::optional<Failure> open_together(State& state, const OpenRequest& request, const Target& target);

}  // namespace kumihimo::mpiio::stampi
