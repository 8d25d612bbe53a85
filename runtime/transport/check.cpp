#include "runtime/transport/check.hpp"

#include <mpi.h>

#include <string>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::transport {

void fail(int code, const char* what, const std::string& advice) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw base::Error(fmt::format("MPI failed at {}: {}", what, std::string(text, static_cast<std::size_t>(length))), advice);
}

}  // namespace kumihimo::transport
