#include "simulator/network.hpp"

#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::simulator {

std::vector<int> Network::place(const std::vector<int>& shape) const {
    std::vector<int> nodes(static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>())));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

Time Network::way_latency(int from, int to) const {
    std::vector<int> path;
    route(from, to, path);
    return std::accumulate(path.begin(), path.end(), Time{0}, [&](Time sum, int link) { return sum + latency(link); });
}

std::vector<std::int64_t> Network::each_to_each(const std::vector<int>& nodes) const {
    std::vector<std::int64_t> messages(static_cast<std::size_t>(links()));
    std::vector<int> path;
    for (const int from : nodes)
        for (const int to : nodes) {
            path.clear();
            route(from, to, path);
            for (const int link : path) ++messages[static_cast<std::size_t>(link)];
        }
    return messages;
}

std::vector<int> place_ranks(const Network& network, const std::vector<int>& shape, int ranks_of_node) {
    if (ranks_of_node == 1) return network.place(shape);
    if (shape.front() % ranks_of_node != 0)
        throw base::Error(
            fmt::format("nodes with {} ranks each do not divide a first axis of {}", ranks_of_node, shape.front()),
            "the first axis of --shape counts the ranks of a node, too");
    std::vector<int> of_nodes = shape, nodes;
    of_nodes.front() /= ranks_of_node;
    for (const int node : network.place(of_nodes)) nodes.insert(nodes.end(), static_cast<std::size_t>(ranks_of_node), node);
    return nodes;
}

int checked_size(double count, const char* what) {
    constexpr double most = 1e8;
    if (count > most) throw base::Error(fmt::format("{:.3g} {} are too many: at most {:.0f}", count, what, most));
    return static_cast<int>(count);
}

std::unique_ptr<Network> make_network(const Machine& machine, int ranks, const std::vector<int>& extents) {
    if (machine.network == "torus") return torus(machine, extents);
    if (!extents.empty()) throw base::Error("only a torus has axes whose length the job decides: leave --nodes out");
    std::unique_ptr<Network> made = machine.network == "fat-tree" ? fat_tree(machine, ranks) : dragonfly(machine, ranks);
    if (made->nodes() < ranks)
        throw base::Error(fmt::format("{} has {} nodes, too few for {} ranks", machine.name, made->nodes(), ranks));
    return made;
}

}  // namespace kumihimo::simulator
