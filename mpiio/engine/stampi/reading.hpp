// Bytes of a view from requests, several of which are under way.
#pragma once

#include "iod/client/remote.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::stampi {

struct Moved {
    Index bytes = 0;
    iod::Status status;
};
Moved read(iod::Remote& remote, const Access& access);
// Bytes of the access's stream, from `begin` on, to its memory.
void put(const Access& access, Index begin, std::span<const std::byte> bytes);

}  // namespace kumihimo::mpiio::stampi
