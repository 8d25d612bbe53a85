// The last place where an exception can be caught before it leaves a function of C.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>

#include "base/ending.hpp"

namespace kumihimo::base {

// What rooms foresee they tell as failures. What is left is a rank without memory for its part: it cannot take part, and the
// others would wait for it for ever, so the job ends and says why.
template <typename Call>
auto guarded(const char* function, MPI_Comm comm, Call&& call) -> decltype(call()) {
    try {
        return call();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kumihimo: error: %s: %s\n", function, error.what());
        wait_until_errors_are_read();
        PMPI_Abort(comm, 1);
        return MPI_ERR_NO_MEM;
    }
}

}  // namespace kumihimo::base
