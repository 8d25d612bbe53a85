// Deleting a file of another machine.
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::stampi {

std::optional<Failure> remove_file(const std::string& path);

}  // namespace kumihimo::mpiio::stampi
