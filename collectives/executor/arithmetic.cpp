#include "collectives/executor/arithmetic.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "copying/vectors.hpp"
#include "copying/widened.hpp"

namespace kumihimo::collectives {

namespace {

template <typename Operation>
struct Wrapped {
    template <typename T>
    T operator()(T a, T b) const {
        return static_cast<T>(Operation()(copying::widened(a), copying::widened(b)));
    }
};
struct Least {
    template <typename T>
    T operator()(T a, T b) const {
        return std::min(a, b);
    }
};
struct Greatest {
    template <typename T>
    T operator()(T a, T b) const {
        return std::max(a, b);
    }
};

template <typename Operation, typename T>
void combine(const std::byte* from, std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T a, b;
        std::memcpy(&a, from + i * sizeof(T), sizeof(T));
        std::memcpy(&b, to + i * sizeof(T), sizeof(T));
        a = Operation()(a, b);
        std::memcpy(to + i * sizeof(T), &a, sizeof(T));
    }
}

template <typename Operation, typename T>
Arithmetic widest() {
    static const Arithmetic chosen = copying::InVectors<&combine<Operation, T>>::widest();
    return chosen;
}

template <typename T>
Arithmetic of_type(MPI_Op operation) {
    if (operation == MPI_SUM) return widest<Wrapped<std::plus<>>, T>();
    if (operation == MPI_PROD) return widest<Wrapped<std::multiplies<>>, T>();
    if constexpr (std::is_integral_v<T>) {
        if constexpr (std::is_signed_v<T>) {  // MPICH 4.0 and Open MPI 4.1 compare some unsigned numbers as signed ones
            if (operation == MPI_MIN) return widest<Least, T>();
            if (operation == MPI_MAX) return widest<Greatest, T>();
        }
        if (operation == MPI_BAND) return widest<Wrapped<std::bit_and<>>, T>();
        if (operation == MPI_BOR) return widest<Wrapped<std::bit_or<>>, T>();
        if (operation == MPI_BXOR) return widest<Wrapped<std::bit_xor<>>, T>();
    }
    return nullptr;
}

template <typename... Types>
bool is_one_of(MPI_Datatype type, Types... types) {
    return type != MPI_DATATYPE_NULL && ((type == types) || ...);
}

}  // namespace

Arithmetic arithmetic(MPI_Op operation, MPI_Datatype type) {
    if (is_one_of(type, MPI_FLOAT, MPI_REAL)) return of_type<float>(operation);
    if (is_one_of(type, MPI_DOUBLE, MPI_DOUBLE_PRECISION)) return of_type<double>(operation);
    if (is_one_of(type, MPI_INT, MPI_INTEGER, MPI_INT32_T)) return of_type<std::int32_t>(operation);
    if (is_one_of(type, MPI_UNSIGNED, MPI_UINT32_T)) return of_type<std::uint32_t>(operation);
    if (is_one_of(type, MPI_LONG, MPI_LONG_LONG, MPI_INT64_T)) return of_type<std::int64_t>(operation);
    if (is_one_of(type, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT64_T)) return of_type<std::uint64_t>(operation);
    return nullptr;
}

}  // namespace kumihimo::collectives
