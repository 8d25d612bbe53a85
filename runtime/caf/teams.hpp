// Teams of images (Fortran 2018, 5.3.4, 11.1.5, 11.6.9). The current team is the executing set: what XcalableMP's tasks push,
// too.
#pragma once

#include <cstdint>

#include "runtime/execution/context.hpp"

namespace kumihimo::caf {

struct Team {
    execution::NodeSetPointer images;
    int number;
};

// A team that gfortran passes where the program may name none: then it is null, or an integer of -1.
inline Team* given(Team** team) {
    const bool absent = team == nullptr || static_cast<int>(reinterpret_cast<std::intptr_t>(team)) == -1;
    return absent ? nullptr : *team;
}

const execution::NodeSet& images_of(const Team* team);  // null: the current team

}  // namespace kumihimo::caf
