// Operators on the elements of arrays, and the loops that apply them. Whoever combines arrays takes them from here: reductions
// of programs (runtime/teams), accumulates of coarrays (runtime/transport), Fortran's collective subroutines (runtime/caf) and
// MPI's collectives (collectives/executor).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

#include "copying/vectors.hpp"

namespace kumihimo::arithmetic {

// Whole numbers are computed without a sign and at least as wide as int, so that an overflow wraps; C's promotions would
// overflow.
template <typename T>
auto widened(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
        return static_cast<unsigned>(value);
    else if constexpr (std::is_integral_v<T>)
        return static_cast<std::common_type_t<unsigned, std::make_unsigned_t<T>>>(value);
    else
        return value;
}

template <typename Operator>
struct Widened {
    template <typename T>
    T operator()(const T& a, const T& b) const {
        return static_cast<T>(Operator()(widened(a), widened(b)));
    }
};
using Sum = Widened<std::plus<>>;
using Difference = Widened<std::minus<>>;
using Product = Widened<std::multiplies<>>;
using BitAnd = Widened<std::bit_and<>>;
using BitOr = Widened<std::bit_or<>>;
using BitXor = Widened<std::bit_xor<>>;

struct Quotient {
    template <typename T>
    T operator()(const T& a, const T& b) const {
        return static_cast<T>(a / b);
    }
};
struct Least {
    template <typename T>
    T operator()(const T& a, const T& b) const {
        return std::min(a, b);
    }
};
struct Greatest {
    template <typename T>
    T operator()(const T& a, const T& b) const {
        return std::max(a, b);
    }
};

template <typename Operator>
inline constexpr bool of_bits =
    std::is_same_v<Operator, BitAnd> || std::is_same_v<Operator, BitOr> || std::is_same_v<Operator, BitXor>;

// into[i] = into[i] (operator) from[i]; elements need not be aligned.
using Combine = void (*)(std::byte* into, const std::byte* from, std::size_t count);

// Through memcpy, of which gcc makes plain vector loads.
template <typename Operator, typename T>
void combine_each(std::byte* into, const std::byte* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T a, b;
        std::memcpy(&a, into + i * sizeof(T), sizeof(T));
        std::memcpy(&b, from + i * sizeof(T), sizeof(T));
        a = Operator()(a, b);
        std::memcpy(into + i * sizeof(T), &a, sizeof(T));
    }
}

// Numbers whose bits an operator treats alike have one loop: whole numbers of a width, but for what compares or divides them.
template <typename Operator, typename T>
constexpr auto representative() {
    if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>)
        return T{};
    else if constexpr (std::is_signed_v<T> && (std::is_same_v<Operator, Quotient> || std::is_same_v<Operator, Least> ||
                                               std::is_same_v<Operator, Greatest>))
        return std::make_signed_t<T>{};
    else
        return std::make_unsigned_t<T>{};
}
template <typename Operator, typename T>
using Representative = decltype(representative<Operator, T>());

// There are no vectors of long double, nor of quotients of whole numbers: three forms of them would be compiled for nothing.
template <typename Operator, typename T>
inline constexpr bool worth_vectors = std::is_arithmetic_v<T> && !std::is_same_v<T, long double> &&
                                      !(std::is_integral_v<T> && std::is_same_v<Operator, Quotient>);

// The loop for the widest vectors of this processor.
template <typename Operator, typename T>
Combine combine() {
    using Number = Representative<Operator, T>;
    if constexpr (worth_vectors<Operator, Number>) {
        static const Combine chosen = copying::InVectors<&combine_each<Operator, Number>>::widest();
        return chosen;
    } else {
        return combine_each<Operator, Number>;
    }
}

}  // namespace kumihimo::arithmetic
