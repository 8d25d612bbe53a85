// Which values a datatype has, in the order of its type map, and how each is written in external32 (MPI 3.1, 13.5.2).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "sets/range.hpp"

namespace kumihimo::mpiio {

using sets::Index;

// How values of one kind are converted, `count` of them, without gaps on either side.
struct Conversion {
    Index native_bytes, external_bytes;                                       // of one value
    bool (*pack)(const std::byte* native, Index count, std::byte* external);  // false if some value does not fit
    void (*unpack)(const std::byte* external, Index count, std::byte* native);
};

// `count` times one value, or `count` times several patterns one after another.
struct ValuePattern {
    Index count = 0;
    const Conversion* conversion = nullptr;
    std::vector<ValuePattern> parts;
    Index native_bytes = 0, external_bytes = 0;  // of all copies
};

ValuePattern values_of(MPI_Datatype type);

}  // namespace kumihimo::mpiio
