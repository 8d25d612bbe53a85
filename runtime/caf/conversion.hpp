// What an assignment makes of values of another type, kind or length (Fortran 2018, 10.2.1.3). Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/caf/elements.hpp"

namespace kumihimo::caf {

// Whether values of one type become the other's by copying their bytes.
bool same_representation(const ElementType& to, const ElementType& from);

// All elements in memory of this process, which do not overlap. Throws base::Error for types that no assignment converts.
void convert(std::byte* to, const ElementType& to_type, const std::byte* from, const ElementType& from_type,
             const Pairing& pairing);

}  // namespace kumihimo::caf
