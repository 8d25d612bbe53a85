#include "runtime/caf/combining.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "arithmetic/operators.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/generated.h"
#include "runtime/caf/quad.hpp"
#include "runtime/teams/operation.hpp"

namespace kumihimo::caf {

namespace {

__extension__ using Integer128 = __int128;
__extension__ using Complex32 = _Complex float;
__extension__ using Complex64 = _Complex double;

BasicType type_of(const Descriptor& variable) {
    return static_cast<BasicType>(variable.type.type);
}

// XMP_Type of what globalview has operations for; XMP_TYPE_OTHER for the rest.
int ordinary_type(BasicType type, std::size_t bytes) {
    switch (type) {
        case BasicType::integer:
            return bytes == 1   ? XMP_TYPE_SCHAR
                   : bytes == 2 ? XMP_TYPE_SHORT
                   : bytes == 4 ? XMP_TYPE_INT
                   : bytes == 8 ? XMP_TYPE_LONGLONG
                                : XMP_TYPE_OTHER;
        case BasicType::real:
            return bytes == 4 ? XMP_TYPE_FLOAT : bytes == 8 ? XMP_TYPE_DOUBLE : XMP_TYPE_OTHER;
        case BasicType::complex:
            return bytes == 8 ? XMP_TYPE_FLOAT_COMPLEX : bytes == 16 ? XMP_TYPE_DOUBLE_COMPLEX : XMP_TYPE_OTHER;
        default:
            return XMP_TYPE_OTHER;
    }
}

// merge(a, b) of values as they lie in memory.
template <typename T, typename Merge>
Combining of_values(Merge merge) {
    return {[merge](std::byte* into, const std::byte* from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            T a, b;
            std::memcpy(&a, into + i * sizeof(T), sizeof(T));
            std::memcpy(&b, from + i * sizeof(T), sizeof(T));
            const T result = merge(a, b);
            std::memcpy(into + i * sizeof(T), &result, sizeof(T));
        }
    }};
}

template <typename T>
Combining ordered(Intrinsic operation) {
    if (operation == Intrinsic::sum) return {arithmetic::combine_each<arithmetic::Sum, T>};
    if (operation == Intrinsic::least) return {arithmetic::combine_each<arithmetic::Least, T>};
    return {arithmetic::combine_each<arithmetic::Greatest, T>};
}

template <typename Character>
bool less(const std::byte* a, const std::byte* b, std::size_t bytes) {
    std::vector<Character> left(bytes / sizeof(Character)), right(left.size());
    std::memcpy(left.data(), a, bytes);
    std::memcpy(right.data(), b, bytes);
    return left < right;
}

template <typename Character>
Combining of_texts(Intrinsic operation, std::size_t bytes) {
    const bool least = operation == Intrinsic::least;
    return {[least, bytes](std::byte* into, const std::byte* from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i, into += bytes, from += bytes)
            if (least ? less<Character>(from, into, bytes) : less<Character>(into, from, bytes)) std::memcpy(into, from, bytes);
    }};
}

bool wide(std::size_t bytes, int characters) {
    return characters > 0 && bytes == 4 * static_cast<std::size_t>(characters);
}

}  // namespace

namespace {

// A number of kind 10 ends with 6 bytes of no meaning, mostly zeros. With kind 16 such a one would be below 1e-4932.
bool is_kind_10(const std::byte* number) {
    std::uint64_t fraction;
    std::uint16_t exponent, exponent_of_16;
    std::memcpy(&fraction, number, sizeof fraction);
    std::memcpy(&exponent, number + 8, sizeof exponent);
    std::memcpy(&exponent_of_16, number + 14, sizeof exponent_of_16);
    constexpr std::uint16_t without_sign = 0x7fff;
    return (exponent_of_16 & without_sign) == 0 && (exponent & without_sign) != 0 && fraction >> 63 != 0;
}

}  // namespace

void check_kind(const Descriptor& variable, const std::byte* elements, std::size_t count) {
    if (!has_kind_10) return;
    const BasicType type = type_of(variable);
    const std::size_t parts = type == BasicType::real ? 1 : type == BasicType::complex ? 2 : 0;
    if (parts == 0 || variable.type.element_bytes != parts * sizeof(Real16)) return;
    for (std::size_t i = 0; i < parts * count; ++i)
        if (is_kind_10(elements + i * sizeof(Real16)))
            throw base::Error("a collective subroutine on numbers of kind 10, which gfortran does not tell from kind 16",
                              "Use kind 8 or 16.");
}

Combining combining(Intrinsic operation, const Descriptor& variable, int characters) {
    const BasicType type = type_of(variable);
    const std::size_t bytes = variable.type.element_bytes;
    if (const int ordinary = ordinary_type(type, bytes); ordinary != XMP_TYPE_OTHER) {
        const int code = operation == Intrinsic::sum ? XMP_SUM : operation == Intrinsic::least ? XMP_MIN : XMP_MAX;
        const teams::Operation& known = teams::operation_of(code, ordinary);
        return {[&known](std::byte* into, const std::byte* from, std::size_t count) { known.combine(into, from, count); }};
    }
    if (type == BasicType::integer && bytes == sizeof(Integer128)) return ordered<Integer128>(operation);
    if (type == BasicType::real && bytes == sizeof(Real16)) return ordered<Real16>(operation);
    if (type == BasicType::complex && bytes == sizeof(Complex16) && operation == Intrinsic::sum)
        return {arithmetic::combine_each<arithmetic::Sum, Complex16>};
    if (type == BasicType::character && operation != Intrinsic::sum)
        return wide(bytes, characters) ? of_texts<std::uint32_t>(operation, bytes) : of_texts<unsigned char>(operation, bytes);
    throw base::Error(fmt::format("a collective subroutine on a type of {} that it is not for", base::bytes_text(bytes)));
}

// ---- functions of the program ----

namespace {

enum Flag { result_by_reference = 1, by_value = 4, by_descriptor = 8 };

// One element, for a dummy argument that is passed by descriptor.
Descriptor scalar(const DescriptorType& type, const void* element) {
    Descriptor one{};
    one.base = const_cast<void*>(element);
    one.type = type;
    one.type.rank = 0;
    one.span = static_cast<std::ptrdiff_t>(type.element_bytes);
    return one;
}

// A function with a result in registers, which depend on its type.
template <typename T>
Combining returning(const Function& function, const Descriptor& variable) {
    if ((function.flags & by_value) != 0) return of_values<T>(reinterpret_cast<T (*)(T, T)>(function.address));
    const auto address = reinterpret_cast<T (*)(const void*, const void*)>(function.address);
    if ((function.flags & by_descriptor) == 0)
        return of_values<T>([address](const T& a, const T& b) { return address(&a, &b); });
    return of_values<T>([address, type = variable.type](const T& a, const T& b) {
        const Descriptor left = scalar(type, &a), right = scalar(type, &b);
        return address(&left, &right);
    });
}

// One that stores its result where the first argument says. Lengths of texts follow in registers that others do not look at.
Combining storing(const Function& function, const Descriptor& variable, int characters) {
    using Writing = void (*)(void*, std::size_t, const void*, const void*, std::size_t, std::size_t);
    const bool text = type_of(variable) == BasicType::character;
    const bool described = (function.flags & by_descriptor) != 0;
    const DescriptorType type = variable.type;
    const std::size_t bytes = type.element_bytes;
    const auto length = static_cast<std::size_t>(characters);
    return {[=](std::byte* into, const std::byte* from, std::size_t count) {
        std::vector<std::byte> result(bytes);
        for (std::size_t i = 0; i < count; ++i, into += bytes, from += bytes) {
            const Descriptor left = scalar(type, into), right = scalar(type, from);
            const void* const a = described ? static_cast<const void*>(&left) : into;
            const void* const b = described ? static_cast<const void*>(&right) : from;
            if (text)
                reinterpret_cast<Writing>(function.address)(result.data(), length, a, b, length, length);
            else
                reinterpret_cast<Storing*>(function.address)(result.data(), a, b);
            std::memcpy(into, result.data(), bytes);
        }
    }};
}

// A structure of more than 16 bytes is handed over on the stack, whatever its components are: as these words are.
template <std::size_t words>
struct Words {
    std::uint64_t word[words];
};

template <std::size_t words>
void combine_words(void* function, std::byte* into, const std::byte* from, std::size_t bytes) {
    Words<words> a{}, b{};
    std::memcpy(&a, into, bytes);
    std::memcpy(&b, from, bytes);
    const Words<words> result = reinterpret_cast<Words<words> (*)(Words<words>, Words<words>)>(function)(a, b);
    std::memcpy(into, &result, bytes);
}

constexpr std::size_t most_in_registers = 16;  // of a structure, in registers that depend on its components
constexpr std::size_t fewest_words = most_in_registers / sizeof(std::uint64_t) + 1, most_words = 64;

template <std::size_t... more>
auto combine_words_of(std::size_t words, std::index_sequence<more...>) {
    static constexpr decltype(&combine_words<fewest_words>) of_words[] = {&combine_words<fewest_words + more>...};
    return of_words[words - fewest_words];
}

// Of structures, by a function whose arguments have VALUE.
Combining taking_values(const Function& function, const Descriptor& variable) {
    const std::size_t bytes = variable.type.element_bytes, words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    if (words > most_words)
        throw base::Error(
            fmt::format("co_reduce of a derived type of {} by a function whose arguments have VALUE", base::bytes_text(bytes)),
            fmt::format("Up to {} are possible with VALUE.", base::bytes_text(most_words * sizeof(std::uint64_t))));
    const auto combine = combine_words_of(words, std::make_index_sequence<most_words - fewest_words + 1>());
    return {[combine, address = function.address, bytes](std::byte* into, const std::byte* from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) combine(address, into + i * bytes, from + i * bytes, bytes);
    }};
}

// Of integers and logicals.
Combining returning_bits(const Function& function, const Descriptor& variable) {
    switch (variable.type.element_bytes) {
        case 1:
            return returning<std::int8_t>(function, variable);
        case 2:
            return returning<std::int16_t>(function, variable);
        case 4:
            return returning<std::int32_t>(function, variable);
        case 8:
            return returning<std::int64_t>(function, variable);
        default:
            return returning<Integer128>(function, variable);
    }
}

Combining returning_number(const Function& function, const Descriptor& variable) {
    const std::size_t bytes = variable.type.element_bytes;
    if (type_of(variable) == BasicType::real)
        return bytes == 4   ? returning<float>(function, variable)
               : bytes == 8 ? returning<double>(function, variable)
                            : returning<Real16>(function, variable);
    return bytes == 8    ? returning<Complex32>(function, variable)
           : bytes == 16 ? returning<Complex64>(function, variable)
                         : returning<Complex16>(function, variable);
}

}  // namespace

Combining combining(Storing* function, const Descriptor& variable) {
    const std::size_t bytes = variable.type.element_bytes;
    return {[function, bytes](std::byte* into, const std::byte* from, std::size_t count) {
                std::vector<std::byte> result(bytes);
                for (std::size_t i = 0; i < count; ++i, into += bytes, from += bytes) {
                    function(result.data(), into, from);
                    std::memcpy(into, result.data(), bytes);
                }
            },
            true};
}

Combining combining(const Function& function, const Descriptor& variable, int characters) {
    switch (type_of(variable)) {
        case BasicType::integer:
        case BasicType::logical:
            if ((function.flags & result_by_reference) == 0) return returning_bits(function, variable);
            break;
        case BasicType::real:
        case BasicType::complex:
            if ((function.flags & result_by_reference) == 0) return returning_number(function, variable);
            break;
        case BasicType::derived:
            if (variable.type.element_bytes <= most_in_registers &&
                ((function.flags & by_value) != 0 || (function.flags & result_by_reference) == 0))
                throw base::Error(
                    fmt::format("co_reduce of a derived type of {}", base::bytes_text(variable.type.element_bytes)),
                    "gfortran does not say in which registers its function gives the result. Compile the file with xmpf90, "
                    "or make the type longer than 16 bytes.");
            if ((function.flags & by_value) != 0) return taking_values(function, variable);
            break;
        case BasicType::character:
            break;
    }
    return storing(function, variable, characters);
}

}  // namespace kumihimo::caf
