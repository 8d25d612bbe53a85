// Bytes of a view to requests.
#pragma once

#include "iod/client/remote.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::stampi {

// All are on their way, or a failure says why not. `row`: where ragged memory is put in a row.
iod::Status write(iod::Remote& remote, const Access& access, std::vector<std::byte>& row);

}  // namespace kumihimo::mpiio::stampi
