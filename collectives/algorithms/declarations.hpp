// The algorithms, one file each. Who wants a schedule goes through collectives/algorithms.hpp.
#pragma once

#include "collectives/call.hpp"
#include "collectives/steps.hpp"

namespace kumihimo::collectives {

// Of a vector: for one piece.
Steps broadcast_linear(Call call);
Steps broadcast_binomial(Call call);
Steps broadcast_chain(Call call);
Steps broadcast_scatter_allgather(Call call);
Steps broadcast_tree(Call call);
Steps reduce_linear(Call call);
Steps reduce_binomial(Call call);
Steps reduce_ring(Call call);
Steps reduce_tree(Call call);
Steps allreduce_recursive_doubling(Call call);
Steps allreduce_ring(Call call);
Steps allreduce_rabenseifner(Call call);
Steps allreduce_tree(Call call);

// Of blocks: for the whole. The last ones of Allgather and Scatter divide the blocks into `parts`.
Steps reduce_scatter_linear(Call call);
Steps reduce_scatter_pairwise(Call call);
Steps reduce_scatter_ring(Call call);
Steps reduce_scatter_halving(Call call);
Steps allgather_ring(Call call);
Steps allgather_recursive_doubling(Call call);
Steps allgather_bruck(Call call);
Steps allgather_rings(Call call, int parts);
Steps gather_linear(Call call);
Steps gather_binomial(Call call);
Steps gather_axes(Call call);
Steps gather_trees(Call call, int parts);
Steps scatter_linear(Call call);
Steps scatter_binomial(Call call);
Steps scatter_trees(Call call, int parts);
Steps alltoall_linear(Call call);
Steps alltoall_pairwise(Call call);
Steps alltoall_bruck(Call call);
Steps alltoall_torus(Call call);
Steps barrier_binomial(Call call);
Steps barrier_dissemination(Call call);
Steps barrier_axes(Call call);

}  // namespace kumihimo::collectives
