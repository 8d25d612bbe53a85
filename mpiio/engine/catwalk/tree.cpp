#include "mpiio/engine/catwalk/tree.hpp"

#include <algorithm>

namespace kumihimo::mpiio::catwalk {

Tree::Tree(iod::Topology topology, int hosts, int server, int servers)
    : topology_(topology), hosts_(hosts), root_(static_cast<int>(static_cast<long long>(server) * hosts / servers)) {}

int Tree::above(int place) const {
    if (topology_ == iod::Topology::ring) return place - 1;
    return topology_ == iod::Topology::tree ? (place - 1) / 2 : 0;
}

int Tree::parent(int host) const {
    return (above(from_root(host)) + root_) % hosts_;
}

std::vector<int> Tree::children(int host) const {
    std::vector<int> found;
    for (int place = 1; place < hosts_; ++place)
        if (above(place) == from_root(host)) found.push_back((place + root_) % hosts_);
    return found;
}

int Tree::place_among_children(int host) const {
    const std::vector<int> siblings = children(parent(host));
    return static_cast<int>(std::find(siblings.begin(), siblings.end(), host) - siblings.begin());
}

}  // namespace kumihimo::mpiio::catwalk
