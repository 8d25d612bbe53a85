// What an I/O process says of a failure, as MPI says it.
#pragma once

#include "iod/protocol/status.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio {

int error_class(iod::Code code);
std::optional<Failure> failure_of(const iod::Status& status, const std::string& path);  // none: all is well

}  // namespace kumihimo::mpiio
