// Small collective messages in waits that give the processor away: MPI's own waits poll, and where ranks outnumber processors
// each of them takes the time of a scheduler's turn. Every rank of the communicator calls each.
#pragma once

#include <mpi.h>

#include <type_traits>
#include <vector>

#include "base/completion.hpp"

namespace kumihimo::base {

// `expected`: of the time until the root comes.
template <typename Plain>
void broadcast(MPI_Comm comm, int root, Plain& value, Waiting::Expected expected = Waiting::brief) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    MPI_Request request;
    MPI_Ibcast(&value, sizeof value, MPI_BYTE, root, comm, &request);
    complete(request, comm, expected);
}

// One value of each rank, by rank. `expected`: of the time until the last rank comes.
template <typename Plain>
std::vector<Plain> gather_all(MPI_Comm comm, const Plain& mine, Waiting::Expected expected = Waiting::brief) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::vector<Plain> all(static_cast<std::size_t>(ranks));
    MPI_Request request;
    MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request);
    complete(request, comm, expected);
    return all;
}

}  // namespace kumihimo::base
