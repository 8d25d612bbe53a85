// What I/O processes say of a failure, and MPI's word for it (MPI 3.1, 13.7). Where there is none it is MPI_ERR_IO.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <utility>

#include "iod/protocol/status.hpp"

namespace kumihimo::mpiio {

inline const std::array<std::pair<iod::Code, int>, 11> error_classes = {{
    {iod::Code::ok, MPI_SUCCESS},
    {iod::Code::no_space, MPI_ERR_NO_SPACE},
    {iod::Code::quota, MPI_ERR_QUOTA},
    {iod::Code::no_such_file, MPI_ERR_NO_SUCH_FILE},
    {iod::Code::file_exists, MPI_ERR_FILE_EXISTS},
    {iod::Code::no_permission, MPI_ERR_ACCESS},
    {iod::Code::read_only, MPI_ERR_READ_ONLY},
    {iod::Code::bad_name, MPI_ERR_BAD_FILE},
    {iod::Code::busy, MPI_ERR_FILE_IN_USE},
    {iod::Code::not_supported, MPI_ERR_UNSUPPORTED_OPERATION},
    {iod::Code::out_of_memory, MPI_ERR_NO_MEM},
}};

inline int error_class(iod::Code code) {
    const auto found = std::ranges::find(error_classes, code, &std::pair<iod::Code, int>::first);
    return found != error_classes.end() ? found->second : MPI_ERR_IO;
}

inline iod::Code code_of(int error_class) {
    const auto found = std::ranges::find(error_classes, error_class, &std::pair<iod::Code, int>::second);
    return found != error_classes.end() ? found->first : iod::Code::io_error;
}

}  // namespace kumihimo::mpiio
