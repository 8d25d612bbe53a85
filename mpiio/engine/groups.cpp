#include "mpiio/engine/catwalk/nodes.hpp"

#include <algorithm>
#include <map>

namespace kumihimo::mpiio::catwalk {

int Nodes::place_in_node(int rank) const {
    const auto& neighbours = ranks[static_cast<std::size_t>(node_of_rank[static_cast<std::size_t>(rank)])];
    return static_cast<int>(std::find(neighbours.begin(), neighbours.end(), rank) - neighbours.begin());
}

Nodes nodes_of(const std::vector<int>& host_of_rank, int split) {
    std::map<int, std::vector<int>> hosts;
    for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) hosts[host_of_rank[rank]].push_back(static_cast<int>(rank));
    Nodes nodes;
    nodes.one_machine = hosts.size() == 1;
    for (const auto& [host, ranks] : hosts) {
        const auto parts = static_cast<std::size_t>(std::clamp(split, 1, static_cast<int>(ranks.size())));
        for (std::size_t part = 0; part < parts; ++part)
            nodes.ranks.emplace_back(ranks.begin() + static_cast<long>(part * ranks.size() / parts),
                                     ranks.begin() + static_cast<long>((part + 1) * ranks.size() / parts));
    }
    std::sort(nodes.ranks.begin(), nodes.ranks.end());
    nodes.node_of_rank.resize(host_of_rank.size());
    for (int node = 0; node < nodes.count(); ++node)
        for (const int rank : nodes.ranks[static_cast<std::size_t>(node)])
            nodes.node_of_rank[static_cast<std::size_t>(rank)] = node;
    return nodes;
}

Tree::Tree(iod::Topology topology, int nodes, int server, int servers)
    : topology_(topology), nodes_(nodes), root_(static_cast<int>(static_cast<long long>(server) * nodes / servers)) {}

int Tree::above(int place) const {
    if (topology_ == iod::Topology::ring) return place - 1;
    return topology_ == iod::Topology::tree ? (place - 1) / 2 : 0;
}

int Tree::parent(int node) const {
    return (above(from_root(node)) + root_) % nodes_;
}

std::vector<int> Tree::children(int node) const {
    std::vector<int> found;
    for (int place = 1; place < nodes_; ++place)
        if (above(place) == from_root(node)) found.push_back((place + root_) % nodes_);
    return found;
}

int Tree::place_among_children(int node) const {
    const std::vector<int> siblings = children(parent(node));
    return static_cast<int>(std::find(siblings.begin(), siblings.end(), node) - siblings.begin());
}

}  // namespace kumihimo::mpiio::catwalk
