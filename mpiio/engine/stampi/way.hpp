// The way to the other machine: which command leads there, and a connection with what it starts.
#pragma once

#include <optional>

#include "iod/client/agent.hpp"
#include "mpiio/engine/stampi/name.hpp"

namespace kumihimo::mpiio::stampi {

// By the settings: ssh with the other side's kumihimo-iod, or KUMIHIMO_STAMPI_COMMAND.
iod::Route route_to(const Name& name);

// Starts an I/O process here, which starts the command, and waits until the other side has answered. The agent is there if the
// status is well.
iod::Routed begin_way(const iod::Route& route, std::optional<iod::Agent>& agent);

}  // namespace kumihimo::mpiio::stampi
