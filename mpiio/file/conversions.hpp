// The conversions between this machine's values and those of external32: big-endian, long of 4 bytes, wchar_t of 2, long double
// as IEEE's quadruple precision (MPI 3.1, table 13.2).
#pragma once

#include <cstddef>

#include "sets/range.hpp"

namespace kumihimo::mpiio {

using sets::Index;

// How values of one kind are converted, `count` of them, without gaps on either side.
struct Conversion {
    Index native_bytes, external_bytes;                                       // of one value
    bool (*pack)(const std::byte* native, Index count, std::byte* external);  // false if some value does not fit
    void (*unpack)(const std::byte* external, Index count, std::byte* native);
};

namespace conversions {

extern const Conversion bytes;
extern const Conversion reversed_2, reversed_4, reversed_8, reversed_16;
extern const Conversion long_as_4, unsigned_long_as_4, wide_character_as_2;
extern const Conversion long_double;

}  // namespace conversions

}  // namespace kumihimo::mpiio
