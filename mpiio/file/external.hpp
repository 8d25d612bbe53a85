// The representation external32 (MPI 3.1, 13.5.2): big-endian values of fixed sizes. Converted here and not by
// MPI_Pack_external: Open MPI 4.1 gives wrong sizes of long and wrong bytes of long double, MPICH 4.0 ends the program at a
// wchar_t, and both cut long values silently.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "sets/extents.hpp"

namespace kumihimo::mpiio {

using sets::Index;

// Bytes of one element in the file. This and the others throw std::invalid_argument for a type that external32 does not have.
Index external_size(MPI_Datatype type);

// The bytes of a file that a file type selects in external32: what is counted in elements (vectors, indexed types, arrays)
// moves with their size there, what is given in bytes stays (MPI 3.1, 13.5.1). Structures have no padding in the file.
sets::Extents external_extents_of(MPI_Datatype type);

// `count` elements into the file's representation. False if some value does not fit into it (a long beyond 32 bits):
// MPI_ERR_CONVERSION.
bool pack_external(const void* from, MPI_Count count, MPI_Datatype type, std::byte* to);

// The values that lie wholly within `bytes` bytes of the file, at most `count` elements. Returns their bytes in memory, as a
// status counts them.
Index unpack_external(const std::byte* from, Index bytes, MPI_Count count, MPI_Datatype type, void* to);

// How many bytes in memory the first `bytes` bytes in the file are; the same without the data.
Index native_bytes(Index bytes, MPI_Datatype type);

}  // namespace kumihimo::mpiio
