// Files written through the I/O processes of the nodes: small scattered records arrive at the disk as few large ones, in order
// (the paper on Catwalk).
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::catwalk {

extern const Engine engine;

}  // namespace kumihimo::mpiio::catwalk
