// Who stands where: the ranks of each node, and for each server the tree of nodes on which data moves towards it
// (docs/explanation/wire-protocol.md, "Topology"). Pure: every rank computes the same from the same numbers.
#pragma once

#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::mpiio::catwalk {

// Nodes are numbered by their lowest rank, which is their leader. Those of one machine are what KUMIHIMO_CATWALK_HOSTS makes of
// it.
struct Nodes {
    std::vector<int> node_of_rank;
    std::vector<std::vector<int>> ranks;  // of each node, ascending
    bool one_machine = true;

    int count() const { return static_cast<int>(ranks.size()); }
    int leader(int node) const { return ranks[static_cast<std::size_t>(node)].front(); }
    int place_in_node(int rank) const;  // 0: the leader
};

// host_of_rank: as base::Hosts has it. The ranks of each host become `split` nodes of neighbours, or as many as there are
// ranks.
Nodes nodes_of(const std::vector<int>& host_of_rank, int split);

// One server's tree. Its root is the server; the roots of several servers are spread over the nodes.
class Tree {
public:
    Tree(iod::Topology topology, int nodes, int server, int servers);
    int root() const { return root_; }
    int parent(int node) const;                 // of a node that is not the root
    std::vector<int> children(int node) const;  // in the order of their tokens
    int place_among_children(int node) const;   // of its parent

private:
    int from_root(int node) const { return (node - root_ + nodes_) % nodes_; }
    int above(int place) const;

    iod::Topology topology_;
    int nodes_, root_;
};

}  // namespace kumihimo::mpiio::catwalk
