// Deleting a file, with what a crash may have left beside it.
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::catwalk {

std::optional<Failure> remove_file(const std::string& path);

}  // namespace kumihimo::mpiio::catwalk
