// For each server the tree of hosts on which data moves towards it (docs/explanation/wire-protocol.md, "Topology"). Pure: every
// rank computes the same from the same numbers.
#pragma once

#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::mpiio::catwalk {

// One server's tree. Its root is the server; the roots of several servers are spread over the hosts.
class Tree {
public:
    Tree(iod::Topology topology, int hosts, int server, int servers);
    int root() const { return root_; }
    int parent(int host) const;                 // of a host that is not the root
    std::vector<int> children(int host) const;  // in the order of their tokens
    int place_among_children(int host) const;   // of its parent

private:
    int from_root(int host) const { return (host - root_ + hosts_) % hosts_; }
    int above(int place) const;

    iod::Topology topology_;
    int hosts_, root_;
};

}  // namespace kumihimo::mpiio::catwalk
