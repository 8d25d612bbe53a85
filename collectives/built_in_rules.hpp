// Rules that hold without any setting, as far as they were clearly faster than the MPI library on the machines that were
// measured (docs/performance/collectives.md), for ranks that each have a processor. A table of the machine itself takes their
// place.
#pragma once

#include <string>

namespace kumihimo::collectives {

std::string built_in_rules(const std::string& family);

}  // namespace kumihimo::collectives
