#include "simulator/least.hpp"

#include <algorithm>
#include <utility>

#include "simulator/sharing.hpp"

namespace kumihimo::simulator {

namespace {

// Bytes per second out of each node and into it.
struct Rates {
    std::vector<double> out, in;
};

Rates rates_of(const Machine& machine, const Network& network) {
    Rates rates{std::vector<double>(at(network.nodes())), std::vector<double>(at(network.nodes()))};
    double fastest = 0;
    for (int link = 0; link < network.links(); ++link) {
        const auto [from, to] = network.ends(link);
        if (to < 0) continue;
        fastest = std::max(fastest, network.rate(link));
        if (from < network.nodes()) rates.out[at(from)] += network.rate(link);
        if (to < network.nodes()) rates.in[at(to)] += network.rate(link);
    }
    const double parallel = machine["parallel_links"];
    for (double& rate : rates.out)
        rate = std::min({parallel * rate, machine["node_rate"], fastest * machine.count("interfaces")});
    for (double& rate : rates.in) rate = std::min(parallel * rate, machine["node_rate"]);
    return rates;
}

// where(): its name, which is made only if it counts.
template <typename Where>
void most(Least& least, Time time, Where&& where) {
    if (time > least.time) least = {time, where()};
}

Least through_nodes(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program) {
    const Rates rates = rates_of(machine, network);
    std::vector<std::vector<int>> ranks(at(network.nodes()));
    for (int rank = 0; rank < program.ranks(); ++rank) ranks[at(nodes[at(rank)])].push_back(rank);
    Least found;
    for (const int node : nodes) {
        if (ranks[at(node)].empty()) continue;  // seen
        const auto [sends, receives] = program.needs(std::exchange(ranks[at(node)], {}));
        const auto time = [&](Bytes bytes, double rate) { return bytes > 0 ? duration(on_the_wire(machine, bytes), rate) : 0; };
        most(found, time(sends, rates.out[at(node)]), [&] { return "out of " + network.node_name(node); });
        most(found, time(receives, rates.in[at(node)]), [&] { return "into " + network.node_name(node); });
    }
    return found;
}

// Each rank of one part sends a block to each of the other.
Least through_parts(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program) {
    Least found;
    for (const Part& part : network.parts()) {
        std::vector<bool> inside(at(network.nodes()));
        for (const int node : part.nodes) inside[at(node)] = true;
        const std::int64_t there = std::count_if(nodes.begin(), nodes.end(), [&](int node) { return inside[at(node)]; }),
                           here = static_cast<std::int64_t>(nodes.size()) - there;
        double rate = 0;
        for (int link = 0; link < network.links(); ++link) {
            const auto [from, to] = network.ends(link);
            if (to >= 0 && from < network.nodes() && to < network.nodes() && inside[at(from)] && !inside[at(to)])
                rate += machine["parallel_links"] * network.rate(link);
        }
        if (rate > 0)
            most(found, duration(on_the_wire(machine, there * here * program.block_bytes()), rate), [&] { return part.name; });
    }
    return found;
}

}  // namespace

Least least(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program) {
    Least found = through_nodes(machine, network, nodes, program);
    if (program.exchanges() && program.block_bytes() > 0) {
        const Least parts = through_parts(machine, network, nodes, program);
        most(found, parts.time, [&] { return parts.where; });
    }
    return found;
}

}  // namespace kumihimo::simulator
