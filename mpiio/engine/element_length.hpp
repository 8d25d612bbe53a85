// The usual lengths of elements as constants of the compiler.
#pragma once

#include <cstddef>
#include <type_traits>

#include "sets/range.hpp"

namespace kumihimo::mpiio {

// Calls with std::integral_constant where elements are that long, since memcpy is then one instruction or few; else with a
// number.
template <typename Call>
void with_length(sets::Index length, Call&& call) {
    switch (length) {
        case 1:
            return call(std::integral_constant<std::size_t, 1>{});
        case 2:
            return call(std::integral_constant<std::size_t, 2>{});
        case 4:
            return call(std::integral_constant<std::size_t, 4>{});
        case 8:
            return call(std::integral_constant<std::size_t, 8>{});
        case 12:
            return call(std::integral_constant<std::size_t, 12>{});
        case 16:
            return call(std::integral_constant<std::size_t, 16>{});
        case 24:
            return call(std::integral_constant<std::size_t, 24>{});
        case 32:
            return call(std::integral_constant<std::size_t, 32>{});
        case 64:
            return call(std::integral_constant<std::size_t, 64>{});
        default:
            return call(static_cast<std::size_t>(length));
    }
}

}  // namespace kumihimo::mpiio
