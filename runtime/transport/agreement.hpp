// All images leave a failed collective together, with the same error: that of the lowest image that has one.
#pragma once

#include <mpi.h>

#include <exception>
#include <optional>

#include "base/error.hpp"

namespace kumihimo::transport {

// Collective. Throws on every image if any image brings an error.
void agree(MPI_Comm communicator, const std::optional<base::Error>& mine);

// Runs action on every image (what it does must not wait for images that failed), then agrees.
template <typename Action>
void together(MPI_Comm communicator, Action&& action) {
    std::optional<base::Error> error;
    try {
        action();
    } catch (const base::Error& found) {
        error = found;
    } catch (const std::exception& found) {
        error.emplace(found.what());
    }
    agree(communicator, error);
}

}  // namespace kumihimo::transport
