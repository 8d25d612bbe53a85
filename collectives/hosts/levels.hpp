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

}  // namespace kumihimo::collectives
