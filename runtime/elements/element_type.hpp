// What the codes of element types (XMP_Type) mean: the type itself, and its name.
#pragma once

#include <complex>
#include <iterator>

#include "kumihimo/generated.h"

namespace kumihimo::elements {

inline constexpr int types = XMP_TYPE_LOGICAL + 1;

inline const char* type_name(int type) {
    static constexpr const char* names[] = {"this type",
                                            "_Bool",
                                            "char",
                                            "signed char",
                                            "unsigned char",
                                            "short",
                                            "unsigned short",
                                            "int",
                                            "unsigned int",
                                            "long",
                                            "unsigned long",
                                            "long long",
                                            "unsigned long long",
                                            "float",
                                            "double",
                                            "long double",
                                            "float _Complex",
                                            "double _Complex",
                                            "long double _Complex",
                                            "logical"};
    static_assert(std::size(names) == types);
    return names[type];
}

template <typename T>
inline constexpr bool is_complex = false;
template <typename T>
inline constexpr bool is_complex<std::complex<T>> = true;

// use(T()) for the type of a code; nothing, or a default result, where there is no arithmetic: structures, Fortran's logical.
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
            return decltype(use(int()))();
    }
}
static_assert(sizeof(long) == sizeof(long long));  // one case serves both

}  // namespace kumihimo::elements
