// How all ranks open a file, or none does (docs/explanation/wire-protocol.md, "Opening a file").
#pragma once

#include "iod/client/session.hpp"
#include "mpiio/engine/catwalk/hints.hpp"
#include "mpiio/engine/catwalk/tree.hpp"
#include "mpiio/engine/groups.hpp"

namespace kumihimo::mpiio::catwalk {

// What an open file is made of on one rank.
struct State {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, ranks = 1;
    std::string path;
    int amode = 0;
    Parameters parameters;
    iod::Opening opened{};
    Groups hosts;
    std::unique_ptr<iod::Session> session;

    int host() const { return hosts.group_of_rank[static_cast<std::size_t>(rank)]; }
    bool leads() const { return hosts.leader(host()) == rank; }
    std::uint32_t servers() const { return static_cast<std::uint32_t>(parameters.servers); }
};

// Collective. A failure is the same on all ranks, and then nothing is left open.
std::optional<Failure> open_together(State& state, const OpenRequest& request);

}  // namespace kumihimo::mpiio::catwalk
