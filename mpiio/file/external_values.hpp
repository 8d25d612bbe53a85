// Which values a datatype has, in the order of its type map, and how each is written in external32 (MPI 3.1, 13.5.2).
#pragma once

#include <mpi.h>

#include <vector>

#include "mpiio/file/conversions.hpp"

namespace kumihimo::mpiio {

// `count` times one value, or `count` times several patterns one after another.
struct ValuePattern {
    Index count = 0;
    const Conversion* conversion = nullptr;
    std::vector<ValuePattern> parts;
    Index native_bytes = 0, external_bytes = 0;  // of all copies
};

ValuePattern values_of(MPI_Datatype type);

}  // namespace kumihimo::mpiio
