// The conversions between this machine's values and those of external32: big-endian, long of 4 bytes, wchar_t of 2, long double
// as IEEE's quadruple precision (MPI 3.1, table 13.2).
#pragma once

#include "mpiio/file/external_values.hpp"

namespace kumihimo::mpiio::conversions {

extern const Conversion bytes;
extern const Conversion reversed_2, reversed_4, reversed_8, reversed_16;
extern const Conversion long_as_4, unsigned_long_as_4, wide_character_as_2;
extern const Conversion long_double;

}  // namespace kumihimo::mpiio::conversions
