// Collective messages of engines, in waits that give the processor away. Every rank of the communicator calls each.
#pragma once

#include <mpi.h>

#include <type_traits>
#include <vector>

#include "base/completion.hpp"

namespace kumihimo::mpiio {

template <typename Plain>
void broadcast(MPI_Comm comm, int root, Plain& value) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    MPI_Request request;
    MPI_Ibcast(&value, sizeof value, MPI_BYTE, root, comm, &request);
    base::complete(request, comm);
}

// One value of each rank, by rank.
template <typename Plain>
std::vector<Plain> gather_all(MPI_Comm comm, const Plain& mine) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::vector<Plain> all(static_cast<std::size_t>(ranks));
    MPI_Request request;
    MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request);
    base::complete(request, comm);
    return all;
}

}  // namespace kumihimo::mpiio
