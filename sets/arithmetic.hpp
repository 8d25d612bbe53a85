// Integer arithmetic that index computations share: rounding division, extended Euclid, and products that do not overflow.
// Internal to sets/.
#pragma once

#include <utility>

#include "sets/range.hpp"

namespace kumihimo::sets {

// Products of two indices: extents go up to 2^62, and so do block sizes and steps.
__extension__ using Wide = __int128;

// Largest extent and largest absolute value of a bound: sums and differences of two of them still fit an Index.
inline constexpr Index index_limit = Index{1} << 62;

template <typename Integer>
constexpr Integer floor_divide(Integer a, Integer b) {  // b > 0
    return a / b - (a % b < 0 ? 1 : 0);
}

template <typename Integer>
constexpr Integer ceiling_divide(Integer a, Integer b) {  // b > 0
    return a / b + (a % b > 0 ? 1 : 0);
}

template <typename Integer>
constexpr Integer floor_modulo(Integer a, Integer b) {  // b > 0; in [0, b)
    const Integer remainder = a % b;
    return remainder < 0 ? remainder + b : remainder;
}

// Bezout: gcd = a * x + b * y; a, b > 0.
struct Bezout {
    Wide gcd, x;
};
constexpr Bezout extended_gcd(Wide a, Wide b) {
    Wide x = 1, next_x = 0;
    while (b != 0) {
        const Wide quotient = a / b;
        a = std::exchange(b, a - quotient * b);
        x = std::exchange(next_x, x - quotient * next_x);
    }
    return {a, x};
}

}  // namespace kumihimo::sets
