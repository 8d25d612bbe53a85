// Rules that hold without any setting, as far as they were clearly faster than the MPI library on the machines that were
// measured (docs/performance/collectives.md). A table of the machine itself takes their place.
#pragma once

#include <string>

namespace kumihimo::collectives {

// Of the ranks of a host: each has one, or they take turns.
enum class Processors { own, shared };

std::string built_in_rules(const std::string& family, Processors processors);

}  // namespace kumihimo::collectives
