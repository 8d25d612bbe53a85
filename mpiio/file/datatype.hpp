// Datatypes as sets of bytes, flattened once for each type.
#pragma once

#include <mpi.h>

#include "sets/extents.hpp"

namespace kumihimo::mpiio {

// The bytes of one element of a type, in the order of its type map; the bounds are MPI's. Kept as an attribute of the type: the
// second call costs one look-up, and a handle that is used again after MPI_Type_free does not find its predecessor's. The copy
// stays valid whatever becomes of the type. Throws std::invalid_argument for a constructor that this library does not know.
sets::Extents extents_of(MPI_Datatype type);

}  // namespace kumihimo::mpiio
