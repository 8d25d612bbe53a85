// An engine that wraps another and goes wrong when it is told to (KUMIHIMO_FAULTY_IO): for tests of what stands above.
#pragma once

#include "base/fault_plan.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::faulty {

extern const Engine engine;

// How KUMIHIMO_FAULTY_IO is spelt.
inline constexpr base::FaultWords fault_words = {"KUMIHIMO_FAULTY_IO", "engine", "direct", "rank", true};

}  // namespace kumihimo::mpiio::faulty
