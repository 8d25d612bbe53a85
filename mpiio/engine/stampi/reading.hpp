// Bytes of a view from requests, several of which are under way.
#pragma once

#include "iod/client/remote.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::stampi {

struct Moved {
    Index bytes = 0;
    iod::Status status;
};
// `window`: bytes that are asked for ahead.
Moved read(iod::Remote& remote, const Access& access, Index window);

}  // namespace kumihimo::mpiio::stampi
