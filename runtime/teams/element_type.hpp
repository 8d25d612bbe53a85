// From the code of an element type (XMP_Type) to the type itself.
#pragma once

#include <complex>
#include <utility>

#include "kumihimo/generated.h"

namespace kumihimo::teams {

template <typename T>
inline constexpr bool is_complex = false;
template <typename T>
inline constexpr bool is_complex<std::complex<T>> = true;

// use(T()) for the type of a code; a default result for structures and Fortran's logical, which have no arithmetic.
template <typename Use>
auto with_type(int type, Use&& use) -> decltype(use(int())) {
    switch (type) {
        case XMP_TYPE_BOOL:
            return use(bool());
        case XMP_TYPE_CHAR:
            return use(char());
        case XMP_TYPE_SCHAR:
            return use(static_cast<signed char>(0));
        case XMP_TYPE_UCHAR:
            return use(static_cast<unsigned char>(0));
        case XMP_TYPE_SHORT:
            return use(short());
        case XMP_TYPE_USHORT:
            return use(static_cast<unsigned short>(0));
        case XMP_TYPE_INT:
            return use(int());
        case XMP_TYPE_UINT:
            return use(0u);
        case XMP_TYPE_LONG:
        case XMP_TYPE_LONGLONG:
            return use(0LL);
        case XMP_TYPE_ULONG:
        case XMP_TYPE_ULONGLONG:
            return use(0ULL);
        case XMP_TYPE_FLOAT:
            return use(float());
        case XMP_TYPE_DOUBLE:
            return use(double());
        case XMP_TYPE_LONGDOUBLE:
            return use(0.0L);
        case XMP_TYPE_FLOAT_COMPLEX:
            return use(std::complex<float>());
        case XMP_TYPE_DOUBLE_COMPLEX:
            return use(std::complex<double>());
        case XMP_TYPE_LONGDOUBLE_COMPLEX:
            return use(std::complex<long double>());
        default:
            return {};
    }
}
static_assert(sizeof(long) == sizeof(long long));

}  // namespace kumihimo::teams
