// The number theory of strided loops over cyclic distributions. Pure.
#pragma once

#include "sets/range.hpp"

namespace kumihimo::globalview {

using sets::Index;

// The remainder in [0, modulus), for any sign of value.
inline Index modulo(Index value, Index modulus) {
    const Index remainder = value % modulus;
    return remainder < 0 ? remainder + modulus : remainder;
}

// The smallest k >= 0 with lowest <= (a * k) mod modulus <= highest, or -1. 0 <= a < modulus, 0 <= lowest <= highest < modulus.
// Euclid's algorithm on windows: either a multiple of `a` lies in the window before the first wrap, or the number of
// wraps is the solution of the same problem modulo a. O(log modulus).
inline Index first_multiple_in_window(Index a, Index modulus, Index lowest, Index highest) {
    if (lowest == 0) return 0;
    if (a == 0) return -1;
    const Index direct = (lowest + a - 1) / a;
    if (direct * a <= highest) return direct;
    const Index wraps = first_multiple_in_window(modulus % a, a, a - highest % a, a - lowest % a);
    return wraps < 0 ? -1 : (lowest + modulus * wraps + a - 1) / a;
}

}  // namespace kumihimo::globalview
