// An engine that wraps another and goes wrong when it is told to (KUMIHIMO_FAULTY_IO): for tests of what stands above.
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::faulty {

extern const Engine engine;

}  // namespace kumihimo::mpiio::faulty
