// Fortran's numbers of kind 16, by the name that C++ has for them on this processor.
#pragma once

#include <cfloat>

namespace kumihimo::caf {

#if defined(__SIZEOF_FLOAT128__)
__extension__ using Real16 = __float128;
__extension__ using Complex16 = _Complex __float128;
#else
using Real16 = long double;
__extension__ using Complex16 = _Complex long double;
static_assert(LDBL_MANT_DIG == 113);
#endif

constexpr bool has_kind_10 = LDBL_MANT_DIG == 64;

}  // namespace kumihimo::caf
