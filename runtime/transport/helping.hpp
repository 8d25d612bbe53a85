// A thread of this image that answers others while it computes (KUMIHIMO_PROGRESS_THREAD), where the transport needs that.
#pragma once

#include "base/helper.hpp"

namespace kumihimo::transport {

// Before MPI starts: whether the program, which has coarrays or not, will want one, and so MPI_THREAD_MULTIPLE. What the
// launcher tells is all that is known.
bool thread_is_wanted(bool coarrays);
// Afterwards: whether the thread may call MPI, and nobody has forbidden it.
bool thread_may_help();

}  // namespace kumihimo::transport
