// Accumulation on elements of every type, for members whose library does not know an operation, and for their handlers at the
// other image. Integers wrap, as the processor does.
#pragma once

#include <cstddef>

#include "arithmetic/operators.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport {

using arithmetic::Combine;

// type: an XMP_TYPE. Throw base::Error where the operation has no meaning for the type.
Combine combine_of(Reduction operation, int type);
std::size_t bytes_of_type(int type);

// values[i] = -values[i]: a difference is the sum of the negative.
void negate(int type, std::byte* values, std::size_t count);

// What an atomic operation leaves behind of `before`.
std::int64_t result_of(Atomic operation, std::int64_t before, std::int64_t operand, std::int64_t compare);

}  // namespace kumihimo::transport
