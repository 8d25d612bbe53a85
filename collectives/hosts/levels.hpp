// Algorithms in two levels: inside a host through memory, between hosts among one rank of each, its leader. What goes between
// hosts is another algorithm of the table, `between`.
#pragma once

#include "collectives/call.hpp"
#include "collectives/steps.hpp"

namespace kumihimo::collectives {

using Between = Steps (*)(Call);

// Of a vector: for one piece. Pieces on different channels have different leaders.
Steps broadcast_hosts(Call call, Between between);
Steps reduce_hosts(Call call, Between between);
Steps allreduce_hosts(Call call, Between between);
Steps barrier_hosts(Call call, Between between);

// Of blocks.
Steps allgather_hosts(Call call, Between between);
Bytes allgather_hosts_work(const Call& call);
Steps gather_hosts(Call call);
Steps scatter_hosts(Call call);
Bytes blocks_hosts_work(const Call& call);  // of Gather and Scatter
Steps alltoall_hosts(Call call);
Bytes alltoall_hosts_work(const Call& call);
Steps reduce_scatter_hosts(Call call, Between between);
Bytes reduce_scatter_hosts_work(const Call& call);

// Of blocks that differ in size, where no rank knows all sizes. tell_leader comes first: each rank has so many bytes of its
// sizes in the send buffer, and the leader of its host has those of all in the receive buffer then, which is Call::told.
Steps tell_leader(Call call, Bytes bytes);
Steps gather_hosts_varying(Call call);
Steps scatter_hosts_varying(Call call);
Steps alltoall_hosts_varying(Call call);
Bytes hosts_varying_work(const Call& call);  // of all three

}  // namespace kumihimo::collectives
