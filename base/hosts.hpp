// Which nodes of a communicator share memory. "On the same machine" means here that mapping each other's memory was tried
// and worked: containers, namespaces and permissions make every other test lie.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/shared_memory.hpp"

namespace kumihimo::base {

// How the user wants memory to be shared (KUMIHIMO_SHM); neither: not at all.
struct SharingWish {
    bool memfd, posix;
};
SharingWish sharing_wish();

struct Hosts {
    SharingMethod method = SharingMethod::none;  // of my host
    std::vector<int> host_of_rank;               // for every rank of the communicator; hosts are named by their lowest rank
    std::vector<int> ranks_here;                 // ranks on my host, ascending; at least this one
    int my_rank = 0;

    bool alone() const { return ranks_here.size() == 1; }
};

// Collective at a communicator's first use, then remembered with it and with its copies (an attribute of the communicator).
const Hosts& hosts_of(MPI_Comm comm);

// What copies of this communicator find out from now on is remembered with it, for its next copies. Local.
void keep_hosts(MPI_Comm comm);

// Nodes of `part` are all in `whole`: what is known of that is known of them, without trying memory again. Local; all nodes of
// `part` must do it, or none.
void inherit_hosts(MPI_Comm whole, MPI_Comm part);

// How crowded my machine is, whether or not its nodes can share memory. Launchers bind nodes to processors of their own, so the
// processors are those on which any node of the machine may run. Collective.
struct Crowd {
    int nodes = 1, processors = 1;
};
Crowd crowd_of(MPI_Comm comm);

}  // namespace kumihimo::base
