// Files on another machine, by their names: stampi://[user@]host[:port]/path (README.md).
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::stampi {

extern const Engine engine;

}  // namespace kumihimo::mpiio::stampi
