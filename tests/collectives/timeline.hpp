// How long all ranks' schedules take on a machine of links, each rank with so many steps in view and no more: what a runner
// loses by looking less far ahead than it could.
#pragma once

#include <cstdint>
#include <functional>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives::test {

using Time = std::int64_t;

// A message takes both ranks a while to start, and its link a time for each byte; it waits until both have started it, and for
// its link. Copies and reductions take no time.
struct Machine {
    Time start = 0, byte = 1;
};

// look_ahead: of a rank's call. Throws if the run gets stuck.
Time time_of(const Algorithm& algorithm, const Call& call, const Machine& machine,
             const std::function<std::size_t(const Call&)>& look_ahead);

}  // namespace kumihimo::collectives::test
