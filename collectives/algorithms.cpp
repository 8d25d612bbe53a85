#include "collectives/algorithms.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/algorithms/declarations.hpp"
#include "collectives/hosts/levels.hpp"
#include "collectives/look_ahead.hpp"
#include "collectives/pieces.hpp"
#include "collectives/streams.hpp"
#include "collectives/trees.hpp"

namespace kumihimo::collectives {

namespace {

using enum Operation;

bool always(const Call&) {
    return true;
}
bool equal_blocks(const Call& call) {
    return !call.varying;
}
bool power_of_two(const Call& call) {
    return !call.varying && (call.ranks & (call.ranks - 1)) == 0;
}
bool commutative(const Call& call) {
    return call.commutative;
}
bool side_by_side(const Call& call) {
    for (int rank = 1; rank < (call.send_blocks.offsets ? call.ranks : 0); ++rank)
        if (call.send_blocks.offset(rank) != call.send_blocks.offset(rank - 1) + call.send_blocks.size(rank - 1)) return false;
    return call.commutative;
}
bool two_buffers(const Call& call) {
    return !call.in_place;
}
bool two_buffers_equal_blocks(const Call& call) {
    return !call.in_place && !call.varying;
}

// The trees of a number: those of collectives/trees.hpp, all on different links.
template <int parts>
bool trees(const Call& call) {
    return parts <= Tree::most(call.torus) && call.commutative && !call.varying;
}
// An Allreduce uses the - links on its way up, so mirrored trees are none of its own.
template <int parts>
bool trees_one_way(const Call& call) {
    return parts <= call.torus.axes() && call.commutative;
}
template <int parts>
bool directions(const Call& call) {
    return parts <= Tree::most(call.torus);
}

// In two levels. Sums of hosts are sums of consecutive ranks only where the hosts' ranks are.
bool hosts(const Call& call) {
    return call.placement != nullptr && call.placement->several();
}
bool hosts_in_order(const Call& call) {
    return hosts(call) && (call.commutative || call.placement->consecutive());
}
bool hosts_commutative(const Call& call) {
    return hosts(call) && call.commutative;
}
bool hosts_equal_blocks(const Call& call) {
    return hosts(call) && !call.varying;
}
bool hosts_varying(const Call& call) {
    return hosts(call) && call.varying;
}
bool hosts_varying_two_buffers(const Call& call) {
    return hosts_varying(call) && !call.in_place;
}
bool hosts_side_by_side(const Call& call) {
    return hosts(call) && side_by_side(call) && call.placement->consecutive();
}
bool hosts_side_by_side_two_buffers(const Call& call) {
    return hosts_equal_blocks(call) && call.placement->consecutive() && !call.in_place;
}
bool hosts_power_of_two(const Call& call) {
    return hosts(call) && (call.placement->hosts() & (call.placement->hosts() - 1)) == 0;
}

template <Steps (*levels)(Call, Between), Steps (*between)(Call)>
Steps hosts_by(Call call) {
    return levels(call, between);
}

template <int parts>
Steps rings(Call call) {
    return allgather_rings(call, parts);
}
template <Steps (*steps)(Call, int), int parts>
Steps streams(Call call) {
    return steps(call, parts);
}

Bytes largest_block(const Call& call) {
    if (!call.varying) return call.send_blocks.bytes;
    Bytes largest = 0;
    for (int rank = 0; rank < call.ranks; ++rank) largest = std::max(largest, call.send_blocks.size(rank));
    return largest;
}
Bytes two_blocks(const Call& call) {
    return 2 * largest_block(call);
}
Bytes three_blocks(const Call& call) {
    return 3 * largest_block(call);
}
Bytes twice_all_blocks(const Call& call) {
    return 2 * (call.send_blocks.offset(call.ranks - 1) + call.send_blocks.size(call.ranks - 1));
}
Bytes all_blocks(const Call& call) {
    return call.block_bytes * call.ranks;
}
Bytes bruck_exchange(const Call& call) {
    return call.block_bytes * (call.ranks + (call.ranks + 1) / 2 * 2);
}
template <int parts>
Bytes rings_of_segments(const Call& call) {
    return Ring(call, parts).work_bytes(parts);
}

constexpr Algorithm table[] = {
    {broadcast, "linear", "the root sends to every rank", broadcast_linear, always},
    {broadcast, "binomial", "binomial tree", broadcast_binomial, always},
    {broadcast, "chain", "pipeline through all ranks", broadcast_chain, always, 1, true},
    {broadcast, "scatter_allgather", "binomial scatter, ring allgather", broadcast_scatter_allgather, always},
    {broadcast, "tree1", "pipelined tree of a torus", broadcast_tree, trees<1>, 1, true, 0, nullptr, view_one_way},
    {broadcast, "tree2", "2 pipelined edge-disjoint trees of a torus", broadcast_tree, trees<2>, 2, true, 0, nullptr,
     view_one_way},
    {broadcast, "tree3", "3 pipelined edge-disjoint trees of a torus", broadcast_tree, trees<3>, 3, true, 0, nullptr,
     view_one_way},
    {broadcast, "tree4", "4 pipelined edge-disjoint trees of a torus", broadcast_tree, trees<4>, 4, true, 0, nullptr,
     view_one_way},
    {broadcast, "tree6", "6 pipelined edge-disjoint trees of a torus", broadcast_tree, trees<6>, 6, true, 0, nullptr,
     view_one_way},
    {broadcast, "hosts_binomial", "two levels, a binomial tree of hosts", hosts_by<broadcast_hosts, broadcast_binomial>, hosts},
    {broadcast, "hosts_chain", "two levels, a pipeline through all hosts", hosts_by<broadcast_hosts, broadcast_chain>, hosts, 1,
     true},
    {broadcast, "hosts_chain2", "two levels, a pipeline through all hosts by 2 leaders of each",
     hosts_by<broadcast_hosts, broadcast_chain>, hosts, 2, true},
    {broadcast, "hosts_scatter_allgather", "two levels, scatter and ring allgather of hosts",
     hosts_by<broadcast_hosts, broadcast_scatter_allgather>, hosts},

    {reduce, "linear", "every rank sends to the root; keeps the order of ranks", reduce_linear, always, 1, false, 2},
    {reduce, "binomial", "binomial tree; keeps the order of ranks", reduce_binomial, always, 1, false, 2},
    {reduce, "pipelined_binomial", "binomial tree by segments", reduce_binomial, always, 1, true, 2},
    {reduce, "ring", "ring reduce-scatter, gather", reduce_ring, commutative, 1, false, 1},
    {reduce, "tree1", "pipelined tree of a torus", reduce_tree, trees<1>, 1, true, Tree::most_children, nullptr, view_one_way},
    {reduce, "tree2", "2 pipelined edge-disjoint trees of a torus", reduce_tree, trees<2>, 2, true, Tree::most_children,
     nullptr, view_one_way},
    {reduce, "tree3", "3 pipelined edge-disjoint trees of a torus", reduce_tree, trees<3>, 3, true, Tree::most_children,
     nullptr, view_one_way},
    {reduce, "tree4", "4 pipelined edge-disjoint trees of a torus", reduce_tree, trees<4>, 4, true, Tree::most_children,
     nullptr, view_one_way},
    {reduce, "tree6", "6 pipelined edge-disjoint trees of a torus", reduce_tree, trees<6>, 6, true, Tree::most_children,
     nullptr, view_one_way},
    {reduce, "hosts_binomial", "two levels, a binomial tree of hosts; keeps the order of consecutive ranks",
     hosts_by<reduce_hosts, reduce_binomial>, hosts_in_order, 1, false, 3},
    {reduce, "hosts_pipelined", "two levels, a binomial tree of hosts by segments", hosts_by<reduce_hosts, reduce_binomial>,
     hosts_in_order, 1, true, 3, nullptr, view_of_hosts},
    {reduce, "hosts_pipelined2", "two levels, a binomial tree of hosts by segments, 2 leaders of each",
     hosts_by<reduce_hosts, reduce_binomial>, hosts_in_order, 2, true, 3, nullptr, view_of_hosts},

    {allreduce, "recursive_doubling", "exchange at doubling distances; keeps the order of ranks", allreduce_recursive_doubling,
     always, 1, false, 1},
    {allreduce, "ring", "ring reduce-scatter, ring allgather", allreduce_ring, commutative, 1, false, 1},
    {allreduce, "rabenseifner", "recursive halving, recursive doubling", allreduce_rabenseifner, commutative, 1, false, 1},
    {allreduce, "tree1", "one tree of a torus up and back, pipelined", allreduce_tree, trees_one_way<1>, 1, true,
     Tree::most_children, nullptr, view_there_and_back},
    {allreduce, "tree2", "2 edge-disjoint trees of a torus up and back, pipelined", allreduce_tree, trees_one_way<2>, 2, true,
     Tree::most_children, nullptr, view_there_and_back},
    {allreduce, "tree3", "3 edge-disjoint trees of a torus up and back, pipelined (Trinaryx3)", allreduce_tree,
     trees_one_way<3>, 3, true, Tree::most_children, nullptr, view_there_and_back},
    {allreduce, "hosts_doubling", "two levels, exchange of hosts at doubling distances; keeps the order of consecutive ranks",
     hosts_by<allreduce_hosts, allreduce_recursive_doubling>, hosts_in_order, 1, false, 2},
    {allreduce, "hosts_pipelined", "two levels, exchange of hosts at doubling distances by segments",
     hosts_by<allreduce_hosts, allreduce_recursive_doubling>, hosts_in_order, 1, true, 2, nullptr, view_of_hosts},
    {allreduce, "hosts_pipelined2", "two levels, exchange of hosts at doubling distances by segments, 2 leaders of each",
     hosts_by<allreduce_hosts, allreduce_recursive_doubling>, hosts_in_order, 2, true, 2, nullptr, view_of_hosts},
    {allreduce, "hosts_ring", "two levels, a ring of hosts", hosts_by<allreduce_hosts, allreduce_ring>, hosts_commutative, 1,
     false, 2},
    {allreduce, "hosts_rabenseifner", "two levels, recursive halving and doubling of hosts",
     hosts_by<allreduce_hosts, allreduce_rabenseifner>, hosts_commutative, 1, false, 2},

    {reduce_scatter, "linear", "every rank sends to each owner; keeps the order of ranks", reduce_scatter_linear, always, 1,
     false, 0, two_blocks},
    {reduce_scatter, "pairwise", "exchange with one rank after the other", reduce_scatter_pairwise, commutative, 1, false, 0,
     three_blocks},
    {reduce_scatter, "ring", "blocks collect their sums around a ring", reduce_scatter_ring, commutative, 1, false, 0,
     two_blocks},
    {reduce_scatter, "halving", "recursive halving", reduce_scatter_halving, side_by_side, 1, false, 0, twice_all_blocks},
    {reduce_scatter, "hosts_pairwise", "two levels, exchange with one host after the other",
     hosts_by<reduce_scatter_hosts, reduce_scatter_pairwise>, hosts_side_by_side, 1, false, 0, reduce_scatter_hosts_work},
    {reduce_scatter, "hosts_halving", "two levels, recursive halving of hosts",
     hosts_by<reduce_scatter_hosts, reduce_scatter_halving>, hosts_side_by_side, 1, false, 0, reduce_scatter_hosts_work},

    {allgather, "ring", "blocks go around a ring", allgather_ring, always},
    {allgather, "recursive_doubling", "exchange at doubling distances, powers of two only", allgather_recursive_doubling,
     power_of_two},
    {allgather, "bruck", "ceiling(log2 n) rounds", allgather_bruck, equal_blocks, 1, false, 0, all_blocks},
    {allgather, "rings1", "rings along the axes of a torus, one after the other", rings<1>, directions<1>},
    {allgather, "rings2", "rings along the axes of a torus, 2 at a time", rings<2>, directions<2>, 2},
    {allgather, "rings3", "rings along the axes of a torus, 3 at a time", rings<3>, directions<3>, 3},
    {allgather, "rings4", "rings along the axes of a torus, 4 at a time", rings<4>, directions<4>, 4},
    {allgather, "rings6", "rings along the axes of a torus, 6 at a time", rings<6>, directions<6>, 6},
    {allgather, "hosts_ring", "two levels, blocks of hosts go around a ring", hosts_by<allgather_hosts, allgather_ring>, hosts,
     1, false, 0, allgather_hosts_work},
    {allgather, "hosts_doubling", "two levels, exchange of hosts at doubling distances, powers of two only",
     hosts_by<allgather_hosts, allgather_recursive_doubling>, hosts_power_of_two, 1, false, 0, allgather_hosts_work},

    {gather, "linear", "every rank sends to the root", gather_linear, always},
    {gather, "binomial", "binomial tree", gather_binomial, equal_blocks, 1, false, 0, all_blocks},
    {gather, "axes", "binomial trees along one axis of a torus after the other", gather_axes, equal_blocks, 1, false, 0,
     all_blocks},
    {gather, "tree1", "stream through a tree of a torus", streams<gather_trees, 1>, trees<1>, 1, false, 0, rings_of_segments<1>,
     view_of_streams},
    {gather, "tree2", "2 streams through edge-disjoint trees of a torus", streams<gather_trees, 2>, trees<2>, 2, false, 0,
     rings_of_segments<2>, view_of_streams},
    {gather, "tree3", "3 streams through edge-disjoint trees of a torus", streams<gather_trees, 3>, trees<3>, 3, false, 0,
     rings_of_segments<3>, view_of_streams},
    {gather, "tree4", "4 streams through edge-disjoint trees of a torus", streams<gather_trees, 4>, trees<4>, 4, false, 0,
     rings_of_segments<4>, view_of_streams},
    {gather, "tree6", "6 streams through edge-disjoint trees of a torus", streams<gather_trees, 6>, trees<6>, 6, false, 0,
     rings_of_segments<6>, view_of_streams},
    {gather, "hosts", "two levels, every host sends to the root", gather_hosts, hosts_equal_blocks, 1, false, 0,
     blocks_hosts_work},
    {gather, "hosts_varying", "two levels for short blocks of different sizes", gather_hosts_varying, hosts_varying, 1, false,
     0, hosts_varying_work, nullptr, true},

    {scatter, "linear", "the root sends to every rank", scatter_linear, always},
    {scatter, "binomial", "binomial tree", scatter_binomial, equal_blocks, 1, false, 0, all_blocks},
    {scatter, "tree1", "stream through a tree of a torus", streams<scatter_trees, 1>, trees<1>, 1, false, 0,
     rings_of_segments<1>, view_of_streams},
    {scatter, "tree2", "2 streams through edge-disjoint trees of a torus", streams<scatter_trees, 2>, trees<2>, 2, false, 0,
     rings_of_segments<2>, view_of_streams},
    {scatter, "tree3", "3 streams through edge-disjoint trees of a torus", streams<scatter_trees, 3>, trees<3>, 3, false, 0,
     rings_of_segments<3>, view_of_streams},
    {scatter, "tree4", "4 streams through edge-disjoint trees of a torus", streams<scatter_trees, 4>, trees<4>, 4, false, 0,
     rings_of_segments<4>, view_of_streams},
    {scatter, "tree6", "6 streams through edge-disjoint trees of a torus", streams<scatter_trees, 6>, trees<6>, 6, false, 0,
     rings_of_segments<6>, view_of_streams},
    {scatter, "hosts", "two levels, the root sends to every host", scatter_hosts, hosts_equal_blocks, 1, false, 0,
     blocks_hosts_work},
    {scatter, "hosts_varying", "two levels for short blocks of different sizes", scatter_hosts_varying, hosts_varying, 1, false,
     0, hosts_varying_work, nullptr, true},

    {alltoall, "linear", "all exchanges at the same time", alltoall_linear, two_buffers},
    {alltoall, "pairwise", "exchange with one rank after the other", alltoall_pairwise, two_buffers},
    {alltoall, "bruck", "ceiling(log2 n) rounds", alltoall_bruck, two_buffers_equal_blocks, 1, false, 0, bruck_exchange},
    {alltoall, "torus", "displacements of a torus in an order that loads its links evenly", alltoall_torus, two_buffers, 1,
     false, 0, nullptr, view_of_rounds},
    {alltoall, "hosts", "two levels, one message from each host to each", alltoall_hosts, hosts_side_by_side_two_buffers, 1,
     false, 0, alltoall_hosts_work},
    {alltoall, "hosts_varying", "two levels for short blocks of different sizes", alltoall_hosts_varying,
     hosts_varying_two_buffers, 1, false, 0, hosts_varying_work, nullptr, true},

    {barrier, "binomial", "binomial tree up and back", barrier_binomial, always},
    {barrier, "dissemination", "signals at doubling distances", barrier_dissemination, always},
    {barrier, "axes", "signals at doubling distances along one axis of a torus after the other", barrier_axes, always},
    {barrier, "hosts", "two levels, signals of hosts at doubling distances", hosts_by<barrier_hosts, barrier_dissemination>,
     hosts},
};

bool of_vector(Operation operation) {
    return operation == broadcast || operation == reduce || operation == allreduce;
}

}  // namespace

std::span<const Algorithm> algorithms() {
    return table;
}

const Algorithm* find_algorithm(Operation operation, const char* name) {
    const auto found = std::find_if(std::begin(table), std::end(table), [&](const Algorithm& algorithm) {
        return algorithm.operation == operation && std::strcmp(algorithm.name, name) == 0;
    });
    return found == std::end(table) ? nullptr : found;
}

bool usable(const Algorithm& algorithm, const Call& call) {
    if (!algorithm.suits(call)) return false;
    if (algorithm.work_vectors > 0) return algorithm.work_vectors * call.element_bytes <= call.work_limit;
    return algorithm.work == nullptr || algorithm.work(call) <= call.work_limit;
}

Bytes work_bytes(const Algorithm& algorithm, const Call& call) {
    if (algorithm.work != nullptr) return algorithm.work(call);
    if (algorithm.work_vectors == 0) return 0;
    const Pieces pieces = divide(algorithm, call);
    return pieces.slots * pieces.slot_bytes;
}

Steps schedule(const Algorithm& algorithm, const Call& call) {
    return of_vector(algorithm.operation) ? in_pieces(algorithm, call) : algorithm.steps(call);
}

}  // namespace kumihimo::collectives
