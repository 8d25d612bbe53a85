// Waiting for a message or a collective operation of other nodes: politely where nodes outnumber processors, and not for ever
// if KUMIHIMO_TIMEOUT says so.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/wait.hpp"

namespace kumihimo::base {

// KUMIHIMO_TIMEOUT: how long a node waits for others before it takes them for stuck; 0: for ever.
long long patience_seconds();

// Completes a request that waits for nodes of `comm`. After KUMIHIMO_TIMEOUT seconds the nodes that still wait tell each
// other so; those that say nothing are stuck: the lowest waiting node names them and ends the job. `comm` must carry no
// other messages with roll_call_tag.
void complete(MPI_Request& request, MPI_Comm comm, Waiting::Expected expected = Waiting::brief);
// The same however long the others take: before they have agreed on how long that may be.
void complete_in_any_time(MPI_Request& request);
inline constexpr int roll_call_tag = 32767;  // the highest that every MPI has

void drive_messages();

// Through memory, without starving MPI: the other node may be in a message that goes on only inside this node's calls of MPI.
template <typename Ready>
void wait_for_memory(Ready&& ready, Waiting::Expected expected = Waiting::brief) {
    wait_for_memory(ready, expected, 64, drive_messages);
}

// A barrier in which this node helps others.
void barrier(MPI_Comm comm);
// To be called before a collective operation that only MPI drives: others may need this node's help before they come to it, and
// inside they would not get it. Returns when all have come; costs nothing where nobody needs help.
void meet(MPI_Comm comm);
// The same of some nodes of `comm`: the same list on each of them.
void meet(MPI_Comm comm, const std::vector<int>& ranks, int tag);

}  // namespace kumihimo::base
