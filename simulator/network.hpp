// Nodes, links, and the links that a message takes. A kind of network is one file in networks/ with a function below.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

// The number of a node, link or rank as an index.
inline std::size_t at(int number) {
    return static_cast<std::size_t>(number);
}

// Some of the nodes, which few links connect to the others.
struct Part {
    std::string name;
    std::vector<int> nodes;
};

class Network {
public:
    virtual ~Network() = default;
    virtual int nodes() const = 0;
    virtual int links() const = 0;
    // Appends the links from one node to another, in order; none from a node to itself.
    virtual void route(int from, int to, std::vector<int>& path) const = 0;
    // How many messages each link carries if each of these nodes sends one to each other one.
    virtual std::vector<std::int64_t> each_to_each(const std::vector<int>& nodes) const;
    // Where a link begins and ends: nodes have their numbers, switches those behind. It ends at -1 where there is none, as
    // behind the end of a line.
    virtual std::pair<int, int> ends(int link) const = 0;
    virtual std::vector<Part> parts() const { return {}; }
    virtual std::string link_name(int link) const = 0;
    virtual std::string node_name(int node) const { return std::to_string(node); }
    virtual double rate(int link) const = 0;           // B/s
    virtual Time latency(int link) const = 0;          // of the link and the switch behind it
    virtual Time way_latency(int from, int to) const;  // of all links from one node to another
    // The node of each rank of a job of this shape, one on each ("8x6x8"): as nodes are numbered, if a network knows nothing
    // better.
    virtual std::vector<int> place(const std::vector<int>& shape) const;
    virtual bool failed(int) const { return false; }  // a node (changes.hpp)
};

// The node of each rank where a node has several: those that follow each other along the shape's first axis. Throws
// base::Error.
std::vector<int> place_ranks(const Network& network, const std::vector<int>& shape, int ranks_of_node);

// What a run can hold. Throws base::Error.
int checked_size(double count, const char* what);

// extents: of the axes whose length the job decides (a torus). Throws base::Error where a job cannot have this size.
std::unique_ptr<Network> make_network(const Machine& machine, int ranks, const std::vector<int>& extents);

std::unique_ptr<Network> torus(const Machine& machine, const std::vector<int>& extents);
std::unique_ptr<Network> fat_tree(const Machine& machine, int nodes);
std::unique_ptr<Network> dragonfly(const Machine& machine, int nodes);

}  // namespace kumihimo::simulator
