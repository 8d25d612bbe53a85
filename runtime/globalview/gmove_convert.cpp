#include "runtime/globalview/gmove_convert.hpp"

#include <complex>
#include <type_traits>

#include "kumihimo/generated.h"

namespace kumihimo::globalview {

namespace {

template <typename T>
constexpr bool is_complex = false;
template <typename T>
constexpr bool is_complex<std::complex<T>> = true;

template <typename To, typename From>
To converted(const From& value) {
    if constexpr (is_complex<To> && is_complex<From>) {
        using Part = typename To::value_type;
        return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else if constexpr (is_complex<To>) {
        return To(static_cast<typename To::value_type>(value));
    } else if constexpr (is_complex<From> && std::is_same_v<To, bool>) {
        return value != From();
    } else if constexpr (is_complex<From>) {
        return static_cast<To>(value.real());  // C11 6.3.1.7: the imaginary part is discarded
    } else {
        return static_cast<To>(value);
    }
}

template <typename To, typename From>
void convert_all(std::byte* to, const std::byte* from, std::size_t count) {
    To* const target = reinterpret_cast<To*>(to);
    const From* const source = reinterpret_cast<const From*>(from);
    for (std::size_t i = 0; i < count; ++i) target[i] = converted<To>(source[i]);
}

// use(T()) for the type of a code, or null.
template <typename Use>
Convert with_type(int type, Use&& use) {
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
            return nullptr;
    }
}
static_assert(sizeof(long) == sizeof(long long));

}  // namespace

Convert conversion(int to_type, int from_type) {
    return with_type(to_type, [&](auto to) {
        return with_type(from_type, [&](auto from) -> Convert { return convert_all<decltype(to), decltype(from)>; });
    });
}

}  // namespace kumihimo::globalview
