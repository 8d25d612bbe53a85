#include "mpiio/file/conversions.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace kumihimo::mpiio::conversions {

namespace {

// Big-endian on a little-endian machine and back; nothing on others.
template <std::size_t length>
void reverse(const std::byte* from, std::byte* to) {
    if constexpr (std::endian::native == std::endian::little)
        std::reverse_copy(from, from + length, to);
    else
        std::memcpy(to, from, length);
}

template <std::size_t length>
void reverse_all(const std::byte* from, Index count, std::byte* to) {
    constexpr Index step = static_cast<Index>(length);
    for (Index i = 0; i < count; ++i) reverse<length>(from + i * step, to + i * step);
}

template <std::size_t length>
bool pack_reversed(const std::byte* native, Index count, std::byte* external) {
    reverse_all<length>(native, count, external);
    return true;
}

template <std::size_t length>
constexpr Conversion reversed{static_cast<Index>(length), static_cast<Index>(length), pack_reversed<length>,
                              reverse_all<length>};

// Integers that are shorter in the file. A value that does not fit is written without its upper bytes, and reported.
template <typename Native, typename External>
bool pack_narrow(const std::byte* native, Index count, std::byte* external) {
    bool fits = true;
    for (Index i = 0; i < count; ++i, native += sizeof(Native), external += sizeof(External)) {
        Native value;
        std::memcpy(&value, native, sizeof value);
        const auto narrow = static_cast<External>(value);
        fits = fits && static_cast<Native>(narrow) == value;
        reverse<sizeof narrow>(reinterpret_cast<const std::byte*>(&narrow), external);
    }
    return fits;
}

template <typename Native, typename External>
void unpack_narrow(const std::byte* external, Index count, std::byte* native) {
    for (Index i = 0; i < count; ++i, native += sizeof(Native), external += sizeof(External)) {
        External narrow;
        reverse<sizeof narrow>(external, reinterpret_cast<std::byte*>(&narrow));
        const auto value = static_cast<Native>(narrow);
        std::memcpy(native, &value, sizeof value);
    }
}

template <typename Native, typename External>
constexpr Conversion narrow{sizeof(Native), sizeof(External), pack_narrow<Native, External>, unpack_narrow<Native, External>};

// Extended precision as on x86: sign and exponent as in quadruple precision, then 64 bits of which the first is the integer
// part. Quadruple precision leaves that one out and has 112 bits behind it.
constexpr int fraction_bits_lost = 49;  // 112 - 63
constexpr std::uint64_t integer_bit = std::uint64_t{1} << 63;

bool pack_extended(const std::byte* native, Index count, std::byte* external) {
    for (Index i = 0; i < count; ++i, native += sizeof(long double), external += 16) {
        std::uint64_t mantissa = 0;
        std::uint16_t sign_exponent = 0;
        std::memcpy(&mantissa, native, 8);
        std::memcpy(&sign_exponent, native + 8, 2);
        mantissa &= ~integer_bit;
        const std::uint64_t high = std::uint64_t{sign_exponent} << 48 | mantissa >> (63 - 48);
        const std::uint64_t low = mantissa << fraction_bits_lost;
        reverse<8>(reinterpret_cast<const std::byte*>(&high), external);
        reverse<8>(reinterpret_cast<const std::byte*>(&low), external + 8);
    }
    return true;
}

// What a quadruple fraction has beyond 63 bits is rounded to nearest; a carry runs into the exponent, as it must.
void unpack_extended(const std::byte* external, Index count, std::byte* native) {
    for (Index i = 0; i < count; ++i, native += sizeof(long double), external += 16) {
        std::uint64_t high = 0, low = 0;
        reverse<8>(external, reinterpret_cast<std::byte*>(&high));
        reverse<8>(external + 8, reinterpret_cast<std::byte*>(&low));
        auto sign_exponent = static_cast<std::uint16_t>(high >> 48);
        std::uint64_t mantissa = (high << 16 >> 1) | low >> fraction_bits_lost;
        const bool finite = (sign_exponent & 0x7fff) != 0x7fff;
        if (finite && (low >> (fraction_bits_lost - 1) & 1) != 0) ++mantissa;
        if ((mantissa & integer_bit) != 0) {
            ++sign_exponent;
            mantissa = 0;
        }
        if ((sign_exponent & 0x7fff) != 0) mantissa |= integer_bit;
        std::memset(native, 0, sizeof(long double));
        std::memcpy(native, &mantissa, 8);
        std::memcpy(native + 8, &sign_exponent, 2);
    }
}

constexpr bool extended = std::numeric_limits<long double>::digits == 64;
static_assert(extended || std::numeric_limits<long double>::digits == 113, "a long double that is neither x86's nor quadruple");

bool pack_bytes(const std::byte* native, Index count, std::byte* external) {
    std::memcpy(external, native, static_cast<std::size_t>(count));
    return true;
}
void unpack_bytes(const std::byte* external, Index count, std::byte* native) {
    std::memcpy(native, external, static_cast<std::size_t>(count));
}

}  // namespace

const Conversion bytes{1, 1, pack_bytes, unpack_bytes};
const Conversion reversed_2 = reversed<2>, reversed_4 = reversed<4>, reversed_8 = reversed<8>, reversed_16 = reversed<16>;
const Conversion long_as_4 = narrow<long, std::int32_t>;
const Conversion unsigned_long_as_4 = narrow<unsigned long, std::uint32_t>;
const Conversion wide_character_as_2 = narrow<wchar_t, std::uint16_t>;
const Conversion long_double = extended ? Conversion{sizeof(long double), 16, pack_extended, unpack_extended} : reversed<16>;

}  // namespace kumihimo::mpiio::conversions
