// The representation external32 (MPI 3.1, 13.5.2): big-endian values of fixed sizes.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "sets/range.hpp"

namespace kumihimo::mpiio {

using sets::Index;

Index external_size(MPI_Datatype type);  // bytes of one element in the file
void pack_external(const void* from, MPI_Count count, MPI_Datatype type, std::byte* to);
void unpack_external(const std::byte* from, MPI_Count count, MPI_Datatype type, void* to);

}  // namespace kumihimo::mpiio
