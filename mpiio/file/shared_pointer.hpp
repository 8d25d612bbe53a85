// The pointer that all ranks of a file share, in bytes of the view's stream (the views must be equal, MPI 3.1, 13.4.4).
#pragma once

#include "mpiio/file/file.hpp"

namespace kumihimo::mpiio {

// Takes `bytes` at the shared pointer for this rank alone.
std::optional<Failure> take_shared(File& file, Index bytes, Index& position);
// Collective: the ranks take their bytes one behind the other, in the order of ranks.
std::optional<Failure> take_ordered(File& file, Index bytes, Index& position);
// Collective: sets it for all, `value` being equal on all ranks; nobody can use it before everybody is there.
std::optional<Failure> set_shared(File& file, Index value);

}  // namespace kumihimo::mpiio
