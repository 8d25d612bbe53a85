// Rules for ranks that all share memory, each with a processor of its own, as far as they were clearly faster than the MPI
// library on the machines that were measured (docs/performance/collectives.md). A table of the machine itself takes their
// place.
#pragma once

#include <string>

namespace kumihimo::collectives {

std::string one_node_rules(const std::string& family);

}  // namespace kumihimo::collectives
