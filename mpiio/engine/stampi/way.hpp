// A connection with what serves a file on another machine.
#pragma once

#include <optional>

#include "iod/client/agent.hpp"
#include "iod/client/lost_ways.hpp"
#include "iod/way/route.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::stampi {

// Where a name leads.
struct Target {
    iod::way::Name name;
    iod::way::Machine machine;
};
std::optional<Failure> find(const std::string& path, Target& target);

// Starts an I/O process here, which starts the command, and waits until the other side has answered. The agent is there if the
// status is well, and `way` is what it is known by.
iod::Routed begin_way(iod::Route route, std::optional<iod::Agent>& agent, iod::WayThere& way);

}  // namespace kumihimo::mpiio::stampi
