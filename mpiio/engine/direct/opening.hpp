// How a file is opened by all ranks together: one of them creates it, then the others open what is there, then all know whether
// everybody did.
#pragma once

#include "mpiio/engine/direct/state.hpp"

namespace kumihimo::mpiio::direct {

// Collective. On failure all ranks get the same one, and state.file is closed everywhere.
std::optional<Failure> open_together(State& state, const OpenRequest& request);

// Collective: closes the file on all ranks, removes what has to go with it. Agreed.
std::optional<Failure> close_together(State& state);

}  // namespace kumihimo::mpiio::direct
