// What if? The same network with something changed: links at another rate, nodes and links that failed, other jobs' messages.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/network.hpp"

namespace kumihimo::simulator {

// Nodes and links by their names. A failed node takes the links that end at it with it.
struct Failures {
    std::vector<std::string> nodes, links;
    bool any() const { return !nodes.empty() || !links.empty(); }
};

// Messages go round failures by a shortest way (of equal ones always the same), or are refused: as the machine says. Ranks that
// are placed in the order of nodes take those that are left. Throws base::Error for names that there are not, and where nodes
// are cut off.
std::unique_ptr<Network> with_failures(std::unique_ptr<Network> network, const Machine& machine, const Failures& failures);

// Some links slower or faster, by their names. Throws base::Error where there is no such link.
std::unique_ptr<Network> with_rates(std::unique_ptr<Network> network, const std::map<std::string, double>& factors);

// What another job sends from node to node all the time, in B/s. It takes its share of each link on its way; the rest is left.
struct Flow {
    int from = 0, to = 0;
    double rate = 0;
};
// Throws base::Error where nothing is left of a link.
std::unique_ptr<Network> with_background(std::unique_ptr<Network> network, const std::vector<Flow>& flows);

// Throws base::Error where there is no node of this name.
int node_named(const Network& network, const std::string& name);

}  // namespace kumihimo::simulator
