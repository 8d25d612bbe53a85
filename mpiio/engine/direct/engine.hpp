// Files of the operating system, by this program's own system calls.
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::direct {

extern const Engine engine;

}  // namespace kumihimo::mpiio::direct
