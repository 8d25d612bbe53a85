#include "collectives/executor/arithmetic.hpp"

#include <cstdint>
#include <type_traits>

namespace kumihimo::collectives {

namespace {

using arithmetic::combine;

template <typename T>
arithmetic::Combine of_type(MPI_Op operation) {
    if (operation == MPI_SUM) return combine<arithmetic::Sum, T>();
    if (operation == MPI_PROD) return combine<arithmetic::Product, T>();
    if constexpr (std::is_integral_v<T>) {
        if constexpr (std::is_signed_v<T>) {  // MPICH 4.0 and Open MPI 4.1 compare some unsigned numbers as signed ones
            if (operation == MPI_MIN) return combine<arithmetic::Least, T>();
            if (operation == MPI_MAX) return combine<arithmetic::Greatest, T>();
        }
        if (operation == MPI_BAND) return combine<arithmetic::BitAnd, T>();
        if (operation == MPI_BOR) return combine<arithmetic::BitOr, T>();
        if (operation == MPI_BXOR) return combine<arithmetic::BitXor, T>();
    }
    return nullptr;
}

template <typename... Types>
bool is_one_of(MPI_Datatype type, Types... types) {
    return type != MPI_DATATYPE_NULL && ((type == types) || ...);
}

}  // namespace

arithmetic::Combine loop_of(MPI_Op operation, MPI_Datatype type) {
    if (is_one_of(type, MPI_FLOAT, MPI_REAL)) return of_type<float>(operation);
    if (is_one_of(type, MPI_DOUBLE, MPI_DOUBLE_PRECISION)) return of_type<double>(operation);
    if (is_one_of(type, MPI_INT, MPI_INTEGER, MPI_INT32_T)) return of_type<std::int32_t>(operation);
    if (is_one_of(type, MPI_UNSIGNED, MPI_UINT32_T)) return of_type<std::uint32_t>(operation);
    if (is_one_of(type, MPI_LONG, MPI_LONG_LONG, MPI_INT64_T)) return of_type<std::int64_t>(operation);
    if (is_one_of(type, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT64_T)) return of_type<std::uint64_t>(operation);
    return nullptr;
}

}  // namespace kumihimo::collectives
