#include "runtime/teams/operation.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <type_traits>

#include "base/error.hpp"
#include "base/finalize.hpp"
#include "base/format.hpp"
#include "copying/vectors.hpp"
#include "copying/widened.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/teams/element_type.hpp"

namespace kumihimo::teams {

namespace {

using copying::widened;

struct Logical {  // Fortran's LOGICAL(4): .false. is 0, anything else is .true.
    std::int32_t value;
};

constexpr int types = XMP_TYPE_LOGICAL + 1, operators = XMP_LASTMIN + 1;

constexpr std::array<const char*, operators> operator_names = {"+",          "*",         "& (iand)", "| (ior)", "^ (ieor)",
                                                               "&& (.and.)", "|| (.or.)", ".eqv.",    ".neqv.",  "max",
                                                               "min",        "firstmax",  "firstmin", "lastmax", "lastmin"};

constexpr bool is_logical(int operation) {
    return operation >= XMP_LAND && operation <= XMP_NEQV;
}

template <int operation, typename T>
constexpr bool meaningful() {
    if (std::is_same_v<T, Logical>) return is_logical(operation);
    if (operation >= XMP_BAND && operation <= XMP_BXOR) return std::is_integral_v<T>;
    if (is_logical(operation)) return !is_complex<T>;
    if (operation >= XMP_MAX) return !is_complex<T>;
    return true;
}

template <typename T>
bool truth(const T& value) {
    if constexpr (std::is_same_v<T, Logical>)
        return value.value != 0;
    else
        return value != T{};
}

template <typename T>
T of_truth(bool value) {
    if constexpr (std::is_same_v<T, Logical>)
        return {value};
    else
        return static_cast<T>(value);
}

template <int operation, typename T>
T apply(const T& a, const T& b) {
    if constexpr (operation == XMP_SUM)
        return static_cast<T>(widened(a) + widened(b));
    else if constexpr (operation == XMP_PRODUCT)
        return static_cast<T>(widened(a) * widened(b));
    else if constexpr (operation == XMP_BAND)
        return static_cast<T>(a & b);
    else if constexpr (operation == XMP_BOR)
        return static_cast<T>(a | b);
    else if constexpr (operation == XMP_BXOR)
        return static_cast<T>(a ^ b);
    else if constexpr (operation == XMP_LAND)
        return of_truth<T>(truth(a) && truth(b));
    else if constexpr (operation == XMP_LOR)
        return of_truth<T>(truth(a) || truth(b));
    else if constexpr (operation == XMP_EQV)
        return of_truth<T>(truth(a) == truth(b));
    else if constexpr (operation == XMP_NEQV)
        return of_truth<T>(truth(a) != truth(b));
    else if constexpr (operation == XMP_MAX)
        return a < b ? b : a;
    else
        return b < a ? b : a;
}

template <int operation, typename T>
void combine(void* into, const void* from, std::size_t count) {
    T* const a = static_cast<T*>(into);
    const T* const b = static_cast<const T*>(from);
    for (std::size_t i = 0; i < count; ++i) a[i] = apply<operation, T>(a[i], b[i]);
}

// Numbers whose bits an operator treats alike have one loop: whole numbers of a width, but for what compares them. Without a
// sign an overflow wraps.
template <int operation, typename T>
constexpr auto representative() {
    if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>)
        return T{};
    else if constexpr (operation >= XMP_MAX)
        return std::conditional_t<std::is_signed_v<T>, std::make_signed_t<T>, std::make_unsigned_t<T>>{};
    else
        return std::make_unsigned_t<T>{};
}
template <int operation, typename T>
using Representative = decltype(representative<operation, T>());

// There are no vectors of long double, and truths are few: three forms of them would be compiled for nothing.
template <int operation, typename T>
inline constexpr bool worth_vectors = std::is_arithmetic_v<T> && !std::is_same_v<T, long double> && !is_logical(operation);

// The widest vectors of this processor are used, once for both callers: operators do not care which side is which.
template <int operation, typename T>
void combine_widest(void* into, const void* from, std::size_t count) {
    static const auto chosen = [] {
        if constexpr (worth_vectors<operation, T>)
            return copying::InVectors<&combine<operation, T>>::widest();
        else
            return &combine<operation, T>;
    }();
    chosen(into, from, count);
}

template <int operation, typename T>
void combine_for_mpi(void* in, void* inout, int* length, MPI_Datatype*) {
    combine_widest<operation, T>(inout, in, static_cast<std::size_t>(*length));
}

// ---- values with a location ----
template <int operation, typename T>
bool better(const Located& candidate, const Located& best) {
    if (candidate.iteration < 0) return false;
    if (best.iteration < 0) return true;
    T a, b;
    std::memcpy(&a, candidate.value, sizeof a);
    std::memcpy(&b, best.value, sizeof b);
    constexpr bool greatest = operation == XMP_FIRSTMAX || operation == XMP_LASTMAX;
    constexpr bool last = operation == XMP_LASTMAX || operation == XMP_LASTMIN;
    if (greatest ? b < a : a < b) return true;
    if (greatest ? a < b : b < a) return false;
    return last ? candidate.iteration > best.iteration : candidate.iteration < best.iteration;
}

template <int operation, typename T>
void combine_located(void* into, const void* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (better<operation, T>(static_cast<const Located*>(from)[i], static_cast<Located*>(into)[i]))
            static_cast<Located*>(into)[i] = static_cast<const Located*>(from)[i];
}

template <int operation, typename T>
void combine_located_for_mpi(void* in, void* inout, int* length, MPI_Datatype*) {
    combine_located<operation, T>(inout, in, static_cast<std::size_t>(*length));
}

template <int operation, typename T>
bool replaces_before(const void* found, const void* before) {
    T a, b;
    std::memcpy(&a, found, sizeof a);
    std::memcpy(&b, before, sizeof b);
    constexpr bool greatest = operation == XMP_FIRSTMAX || operation == XMP_LASTMAX;
    constexpr bool last = operation == XMP_LASTMAX || operation == XMP_LASTMIN;
    if constexpr (last)
        return !(greatest ? a < b : b < a);
    else
        return greatest ? b < a : a < b;
}

// ---- the tables: operator x type ----
struct Entry {
    Operation plain, located;
    bool (*replaces)(const void*, const void*) = nullptr;
};
using Table = std::array<std::array<Entry, types>, operators>;

template <int operation, typename T>
void enter(Table& table, int type) {
    if constexpr (meaningful<operation, T>()) {
        Entry& entry = table[operation][type];
        constexpr int plain = operation == XMP_FIRSTMAX || operation == XMP_LASTMAX   ? int{XMP_MAX}
                              : operation == XMP_FIRSTMIN || operation == XMP_LASTMIN ? int{XMP_MIN}
                                                                                      : operation;
        using Combined = Representative<plain, T>;
        entry.plain = {combine_widest<plain, Combined>, combine_for_mpi<plain, Combined>, sizeof(T)};
        if constexpr (operation >= XMP_FIRSTMAX) {
            static_assert(sizeof(T) <= sizeof Located::value);
            entry.located = {combine_located<operation, Combined>, combine_located_for_mpi<operation, Combined>,
                             sizeof(Located)};
            entry.replaces = replaces_before<operation, Combined>;
        }
    }
}

template <typename T, int... operation>
void enter_type(Table& table, int type, std::integer_sequence<int, operation...>) {
    (enter<operation, T>(table, type), ...);
}

Table make_table() {
    Table table;
    constexpr auto all = std::make_integer_sequence<int, operators>{};
    enter_type<bool>(table, XMP_TYPE_BOOL, all);
    enter_type<char>(table, XMP_TYPE_CHAR, all);
    enter_type<signed char>(table, XMP_TYPE_SCHAR, all);
    enter_type<unsigned char>(table, XMP_TYPE_UCHAR, all);
    enter_type<short>(table, XMP_TYPE_SHORT, all);
    enter_type<unsigned short>(table, XMP_TYPE_USHORT, all);
    enter_type<int>(table, XMP_TYPE_INT, all);
    enter_type<unsigned>(table, XMP_TYPE_UINT, all);
    enter_type<long long>(table, XMP_TYPE_LONGLONG, all);
    enter_type<unsigned long long>(table, XMP_TYPE_ULONGLONG, all);
    enter_type<float>(table, XMP_TYPE_FLOAT, all);
    enter_type<double>(table, XMP_TYPE_DOUBLE, all);
    enter_type<long double>(table, XMP_TYPE_LONGDOUBLE, all);
    enter_type<std::complex<float>>(table, XMP_TYPE_FLOAT_COMPLEX, all);
    enter_type<std::complex<double>>(table, XMP_TYPE_DOUBLE_COMPLEX, all);
    enter_type<std::complex<long double>>(table, XMP_TYPE_LONGDOUBLE_COMPLEX, all);
    enter_type<Logical>(table, XMP_TYPE_LOGICAL, all);
    for (auto& of_operator : table) {  // element_type.hpp: they are as wide as each other
        of_operator[XMP_TYPE_LONG] = of_operator[XMP_TYPE_LONGLONG];
        of_operator[XMP_TYPE_ULONG] = of_operator[XMP_TYPE_ULONGLONG];
    }
    return table;
}

const Entry& entry_of(int operation, int type) {
    static const Table table = make_table();
    if (operation < 0 || operation >= operators || type < 0 || type >= types)
        throw base::Error(fmt::format("unknown reduction operator {} or element type {}", operation, type));
    const Entry& entry = table[operation][type];
    if (entry.plain.combine == nullptr)
        throw base::Error(fmt::format("the reduction operator {} has no meaning for {}", operator_names[operation],
                                      kumihimo::execution::type_name(type)));
    return entry;
}

}  // namespace

namespace {

// MPI's handles: made once for each function and element size, freed when MPI ends.
struct Handles {
    std::map<MPI_User_function*, MPI_Op> operations;
    std::map<std::size_t, MPI_Datatype> elements;

    static Handles& get() {
        static auto& handles = *new Handles;
        return handles;
    }
    Handles() {
        base::at_finalize([] {
            for (auto& [function, operation] : get().operations) MPI_Op_free(&operation);
            for (auto& [bytes, element] : get().elements) MPI_Type_free(&element);
        });
    }
};

}  // namespace

MPI_Op Operation::mpi_operation() const {
    const auto [place, added] = Handles::get().operations.try_emplace(function, MPI_OP_NULL);
    if (added) MPI_Op_create(function, 1, &place->second);
    return place->second;
}

MPI_Datatype Operation::mpi_element() const {
    const auto [place, added] = Handles::get().elements.try_emplace(bytes, MPI_DATATYPE_NULL);
    if (added) {
        MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &place->second);
        MPI_Type_commit(&place->second);
    }
    return place->second;
}

const Operation& operation_of(int operation, int type) {
    return entry_of(operation, type).plain;
}

bool is_located(int operation) {
    return operation >= XMP_FIRSTMAX && operation <= XMP_LASTMIN;
}

const Operation& located_operation(int operation, int type) {
    const Entry& entry = entry_of(operation, type);
    if (!is_located(operation))
        throw base::Error(fmt::format("the reduction operator {} has no location variables", operator_names[operation]),
                          "Use firstmax, firstmin, lastmax or lastmin.");
    return entry.located;
}

bool replaces(int operation, int type, const void* found, const void* before) {
    return entry_of(operation, type).replaces(found, before);
}

}  // namespace kumihimo::teams
