// One file that lies in several, on machines of any kind: stampi+meta:layout.toml (iod/way/metafile.hpp).
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::spread {

extern const Engine engine;

}  // namespace kumihimo::mpiio::spread
