#include "runtime/transport/elements.hpp"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/generated.h"
#include "runtime/elements/element_type.hpp"

namespace kumihimo::transport {

namespace {

using elements::types;

constexpr int operations = static_cast<int>(Reduction::quotient) + 1;
constexpr std::array<const char*, operations> operation_names = {"+=", "*=", "&=", "|=", "^=", "-=", "/="};

template <Reduction operation>
constexpr auto operator_of() {
    if constexpr (operation == Reduction::sum)
        return arithmetic::Sum();
    else if constexpr (operation == Reduction::product)
        return arithmetic::Product();
    else if constexpr (operation == Reduction::bit_and)
        return arithmetic::BitAnd();
    else if constexpr (operation == Reduction::bit_or)
        return arithmetic::BitOr();
    else if constexpr (operation == Reduction::bit_xor)
        return arithmetic::BitXor();
    else if constexpr (operation == Reduction::difference)
        return arithmetic::Difference();
    else
        return arithmetic::Quotient();
}

template <typename T>
void negate_values(std::byte* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, values + i * sizeof(T), sizeof(T));
        value = static_cast<T>(-arithmetic::widened(value));
        std::memcpy(values + i * sizeof(T), &value, sizeof(T));
    }
}

struct Entry {
    std::size_t bytes = 0;
    std::array<Combine, operations> combine{};
    void (*negate)(std::byte*, std::size_t) = nullptr;
};
using Table = std::array<Entry, types>;

template <Reduction operation, typename T>
void enter_operation(Entry& entry) {
    using Operator = decltype(operator_of<operation>());
    if constexpr (std::is_integral_v<T> || !arithmetic::of_bits<Operator>)
        entry.combine[static_cast<int>(operation)] = arithmetic::combine<Operator, T>();
}

template <typename T, int... operation>
void enter(Entry& entry, std::integer_sequence<int, operation...>) {
    entry.bytes = sizeof(T);
    entry.negate = negate_values<T>;
    (enter_operation<static_cast<Reduction>(operation), T>(entry), ...);
}

Table make_table() {
    Table table;
    for (int type = 0; type < types; ++type)
        elements::with_type(
            type, [&](auto zero) { enter<decltype(zero)>(table[type], std::make_integer_sequence<int, operations>{}); });
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
            return arithmetic::Sum()(before, operand);
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
