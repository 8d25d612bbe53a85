#include "runtime/teams/operation.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <type_traits>

#include "base/error.hpp"
#include "base/finalize.hpp"
#include "base/format.hpp"
#include "runtime/elements/element_type.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::teams {

namespace {

struct Logical {  // Fortran's LOGICAL(4): .false. is 0, anything else is .true.
    std::int32_t value;
};

using elements::types;

constexpr int operators = XMP_LASTMIN + 1;

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
    if (is_logical(operation) || operation >= XMP_MAX) return !elements::is_complex<T>;
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

// ---- operators on truths, which element types have in two ways ----
template <typename Operator>
struct OfTruths {
    template <typename T>
    T operator()(const T& a, const T& b) const {
        return of_truth<T>(Operator()(truth(a), truth(b)));
    }
};
template <typename Operator>
inline constexpr bool of_truths = false;
template <typename Operator>
inline constexpr bool of_truths<OfTruths<Operator>> = true;

template <int operation>
constexpr auto operator_of() {
    if constexpr (operation == XMP_SUM)
        return arithmetic::Sum();
    else if constexpr (operation == XMP_PRODUCT)
        return arithmetic::Product();
    else if constexpr (operation == XMP_BAND)
        return arithmetic::BitAnd();
    else if constexpr (operation == XMP_BOR)
        return arithmetic::BitOr();
    else if constexpr (operation == XMP_BXOR)
        return arithmetic::BitXor();
    else if constexpr (operation == XMP_LAND)
        return OfTruths<std::logical_and<>>();
    else if constexpr (operation == XMP_LOR)
        return OfTruths<std::logical_or<>>();
    else if constexpr (operation == XMP_EQV)
        return OfTruths<std::equal_to<>>();
    else if constexpr (operation == XMP_NEQV)
        return OfTruths<std::not_equal_to<>>();
    else if constexpr (operation == XMP_MAX || operation == XMP_FIRSTMAX || operation == XMP_LASTMAX)
        return arithmetic::Greatest();
    else
        return arithmetic::Least();
}

// Truths are few: three forms of their loops would be compiled for nothing.
template <typename Operator, typename T>
arithmetic::Combine loop_of() {
    if constexpr (of_truths<Operator>)
        return arithmetic::combine_each<Operator, T>;
    else
        return arithmetic::combine<Operator, T>();
}

// One loop serves both callers: operators do not care which side is which.
template <typename Operator, typename T>
void combine_for_mpi(void* in, void* inout, int* length, MPI_Datatype*) {
    static const arithmetic::Combine loop = loop_of<Operator, T>();
    loop(static_cast<std::byte*>(inout), static_cast<const std::byte*>(in), static_cast<std::size_t>(*length));
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
void combine_located(std::byte* into, const std::byte* from, std::size_t count) {
    auto* const best = reinterpret_cast<Located*>(into);
    const auto* const found = reinterpret_cast<const Located*>(from);
    for (std::size_t i = 0; i < count; ++i)
        if (better<operation, T>(found[i], best[i])) best[i] = found[i];
}

template <int operation, typename T>
void combine_located_for_mpi(void* in, void* inout, int* length, MPI_Datatype*) {
    combine_located<operation, T>(static_cast<std::byte*>(inout), static_cast<const std::byte*>(in),
                                  static_cast<std::size_t>(*length));
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
        using Operator = decltype(operator_of<operation>());
        using Number = arithmetic::Representative<Operator, T>;
        entry.plain = {loop_of<Operator, Number>(), combine_for_mpi<Operator, Number>, sizeof(T)};
        if constexpr (operation >= XMP_FIRSTMAX) {
            static_assert(sizeof(T) <= sizeof Located::value);
            entry.located = {combine_located<operation, Number>, combine_located_for_mpi<operation, Number>, sizeof(Located)};
            entry.replaces = replaces_before<operation, Number>;
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
    for (int type = 0; type < types; ++type)
        elements::with_type(type, [&](auto zero) { enter_type<decltype(zero)>(table, type, all); });
    enter_type<Logical>(table, XMP_TYPE_LOGICAL, all);
    return table;
}

const Entry& entry_of(int operation, int type) {
    static const Table table = make_table();
    if (operation < 0 || operation >= operators || type < 0 || type >= types)
        throw base::Error(fmt::format("unknown reduction operator {} or element type {}", operation, type));
    const Entry& entry = table[operation][type];
    if (entry.plain.loop == nullptr)
        throw base::Error(fmt::format("the reduction operator {} has no meaning for {}", operator_names[operation],
                                      elements::type_name(type)));
    return entry;
}

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
