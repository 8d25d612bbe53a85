// Conversion of elements in a gmove between different types (decision COM-02): as C's assignment converts them.
#pragma once

#include <cstddef>

namespace kumihimo::globalview {

// to[i] = from[i]; both dense and aligned for their types.
using Convert = void (*)(std::byte* to, const std::byte* from, std::size_t count);

// Codes as in XMP_Type. Null where C has no such conversion.
Convert conversion(int to_type, int from_type);

}  // namespace kumihimo::globalview
