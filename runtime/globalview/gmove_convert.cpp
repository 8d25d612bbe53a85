#include "runtime/globalview/gmove_convert.hpp"

#include <type_traits>

#include "runtime/elements/element_type.hpp"

namespace kumihimo::globalview {

using elements::is_complex;
using elements::with_type;

namespace {

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

}  // namespace

Convert conversion(int to_type, int from_type) {
    return with_type(to_type, [&](auto to) -> Convert {
        return with_type(from_type, [&](auto from) -> Convert { return convert_all<decltype(to), decltype(from)>; });
    });
}

}  // namespace kumihimo::globalview
