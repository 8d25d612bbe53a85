#include "runtime/transport/elements.hpp"

#include <array>
#include <complex>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/format.hpp"
#include "copying/vectors.hpp"
#include "copying/widened.hpp"
#include "kumihimo/generated.h"

namespace kumihimo::transport {

namespace {

using copying::widened;

constexpr int types = XMP_TYPE_LOGICAL + 1, operations = static_cast<int>(Reduction::quotient) + 1;
constexpr std::array<const char*, operations> operation_names = {"+=", "*=", "&=", "|=", "^=", "-=", "/="};

template <Reduction operation, typename T>
constexpr bool meaningful = operation<Reduction::bit_and || operation> Reduction::bit_xor || std::is_integral_v<T>;

template <Reduction operation, typename T>
T apply(T a, T b) {
    if constexpr (operation == Reduction::sum)
        return static_cast<T>(widened(a) + widened(b));
    else if constexpr (operation == Reduction::product)
        return static_cast<T>(widened(a) * widened(b));
    else if constexpr (operation == Reduction::bit_and)
        return static_cast<T>(widened(a) & widened(b));
    else if constexpr (operation == Reduction::bit_or)
        return static_cast<T>(widened(a) | widened(b));
    else if constexpr (operation == Reduction::bit_xor)
        return static_cast<T>(widened(a) ^ widened(b));
    else if constexpr (operation == Reduction::difference)
        return static_cast<T>(widened(a) - widened(b));
    else
        return static_cast<T>(a / b);
}

// Through memcpy: elements need not be aligned, and gcc makes plain vector loads of it.
template <Reduction operation, typename T>
void combine(std::byte* into, const std::byte* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T a, b;
        std::memcpy(&a, into + i * sizeof(T), sizeof(T));
        std::memcpy(&b, from + i * sizeof(T), sizeof(T));
        a = apply<operation, T>(a, b);
        std::memcpy(into + i * sizeof(T), &a, sizeof(T));
    }
}

template <typename T>
void negate_values(std::byte* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, values + i * sizeof(T), sizeof(T));
        value = static_cast<T>(-widened(value));
        std::memcpy(values + i * sizeof(T), &value, sizeof(T));
    }
}

struct Entry {
    std::size_t bytes = 0;
    std::array<Combine, operations> combine{};
    void (*negate)(std::byte*, std::size_t) = nullptr;
};
using Table = std::array<Entry, types>;

// Whole numbers of a width have one loop, but for quotients: with a sign or without, they have the same bits.
template <Reduction operation, typename T>
constexpr auto representative() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && operation != Reduction::quotient)
        return std::make_unsigned_t<T>{};
    else
        return T{};
}

// There are no vectors of long double, nor of quotients of whole numbers: three forms of them would be compiled for nothing.
template <Reduction operation, typename T>
inline constexpr bool worth_vectors =
    std::is_arithmetic_v<T> && !std::is_same_v<T, long double> && !(std::is_integral_v<T> && operation == Reduction::quotient);

template <Reduction operation, typename T>
void enter_operation(Entry& entry) {
    if constexpr (meaningful<operation, T>) {
        using Combined = decltype(representative<operation, T>());
        Combine& chosen = entry.combine[static_cast<int>(operation)];
        if constexpr (worth_vectors<operation, T>)
            chosen = copying::InVectors<&combine<operation, Combined>>::widest();
        else
            chosen = combine<operation, Combined>;
    }
}

template <typename T, int... operation>
void enter_operations(Entry& entry, std::integer_sequence<int, operation...>) {
    (enter_operation<static_cast<Reduction>(operation), T>(entry), ...);
}

template <typename T>
void enter(Table& table, int type) {
    table[type].bytes = sizeof(T);
    table[type].negate = negate_values<T>;
    enter_operations<T>(table[type], std::make_integer_sequence<int, operations>{});
}

Table make_table() {
    Table table;
    enter<bool>(table, XMP_TYPE_BOOL);
    enter<char>(table, XMP_TYPE_CHAR);
    enter<signed char>(table, XMP_TYPE_SCHAR);
    enter<unsigned char>(table, XMP_TYPE_UCHAR);
    enter<short>(table, XMP_TYPE_SHORT);
    enter<unsigned short>(table, XMP_TYPE_USHORT);
    enter<int>(table, XMP_TYPE_INT);
    enter<unsigned>(table, XMP_TYPE_UINT);
    enter<long long>(table, XMP_TYPE_LONGLONG);
    enter<unsigned long long>(table, XMP_TYPE_ULONGLONG);
    enter<float>(table, XMP_TYPE_FLOAT);
    enter<double>(table, XMP_TYPE_DOUBLE);
    enter<long double>(table, XMP_TYPE_LONGDOUBLE);
    enter<std::complex<float>>(table, XMP_TYPE_FLOAT_COMPLEX);
    enter<std::complex<double>>(table, XMP_TYPE_DOUBLE_COMPLEX);
    enter<std::complex<long double>>(table, XMP_TYPE_LONGDOUBLE_COMPLEX);
    static_assert(sizeof(long) == sizeof(long long));
    table[XMP_TYPE_LONG] = table[XMP_TYPE_LONGLONG];
    table[XMP_TYPE_ULONG] = table[XMP_TYPE_ULONGLONG];
    return table;
}

const Entry& entry_of(int type) {
    static const Table table = make_table();
    if (type < 0 || type >= types || table[type].bytes == 0)
        throw base::Error(fmt::format("elements of type {} cannot be accumulated", type), "Accumulate numbers.");
    return table[type];
}

}  // namespace

Combine combine_of(Reduction operation, int type) {
    const Combine found = entry_of(type).combine[static_cast<int>(operation)];
    if (found == nullptr)
        throw base::Error(
            fmt::format("{} has no meaning for floating-point elements", operation_names[static_cast<int>(operation)]));
    return found;
}

std::size_t bytes_of_type(int type) {
    return entry_of(type).bytes;
}

std::int64_t result_of(Atomic operation, std::int64_t before, std::int64_t operand, std::int64_t compare) {
    switch (operation) {
        case Atomic::define:
            return operand;
        case Atomic::add:
            return apply<Reduction::sum>(before, operand);
        case Atomic::bit_and:
            return before & operand;
        case Atomic::bit_or:
            return before | operand;
        case Atomic::bit_xor:
            return before ^ operand;
        case Atomic::compare_and_swap:
            return before == compare ? operand : before;
        default:
            return before;
    }
}

void negate(int type, std::byte* values, std::size_t count) {
    entry_of(type).negate(values, count);
}

}  // namespace kumihimo::transport
