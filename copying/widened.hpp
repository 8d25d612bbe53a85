// In which type elements of arrays are added and multiplied: whole numbers without a sign and at least as wide as int, so that
// an overflow wraps; C's promotions would overflow.
#pragma once

#include <type_traits>

namespace kumihimo::copying {

template <typename T>
auto widened(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
        return static_cast<unsigned>(value);
    else if constexpr (std::is_integral_v<T>)
        return static_cast<std::common_type_t<unsigned, std::make_unsigned_t<T>>>(value);
    else
        return value;
}

}  // namespace kumihimo::copying
