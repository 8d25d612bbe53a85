// What an operation takes at least, by whatever algorithm: what each rank has to send and to receive goes through its node and
// over the node's links, and what all exchange with all goes through the middle of every axis. Neither latencies nor processors
// are counted.
#pragma once

#include <string>
#include <vector>

#include "simulator/network.hpp"
#include "simulator/programs.hpp"

namespace kumihimo::simulator {

struct Least {
    Time time = 0;
    std::string where;
};

Least least(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program);

}  // namespace kumihimo::simulator
