// Numbers as keys: unsigned integers of the same size, whose order is the one that is wanted. So all types and both directions
// are sorted by few compiled algorithms. NaN comes last in both directions, and comes back as the quiet NaN; -0.0 stands before
// 0.0 where numbers ascend.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#include "sets/range.hpp"

namespace kumihimo::arrays {

template <typename T>
using KeyFor = std::tuple_element_t<std::countr_zero(sizeof(T)),
                                    std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, unsigned __int128>>;

// The bits of a number that count: x86's long double has ten bytes and fills up the rest with anything.
template <typename T>
constexpr int key_bits = std::is_floating_point_v<T>&& std::numeric_limits<T>::digits == 64 ? 80 : 8 * int{sizeof(T)};
template <typename T>
constexpr KeyFor<T> top_bit = static_cast<KeyFor<T>>(KeyFor<T>{1} << (key_bits<T> - 1));
template <typename T>
constexpr KeyFor<T> all_bits = static_cast<KeyFor<T>>(top_bit<T> | (top_bit<T> - 1));

template <typename T>
KeyFor<T> key_of(T number, bool descending) {
    if constexpr (std::is_floating_point_v<T>)
        if (number != number) return all_bits<T>;
    KeyFor<T> key{};
    std::memcpy(&key, &number, sizeof key);
    key &= all_bits<T>;
    if constexpr (std::is_floating_point_v<T>)  // the sign stands before the magnitude
        key ^= (key & top_bit<T>) != 0 ? all_bits<T> : top_bit<T>;
    else if constexpr (std::is_signed_v<T>)
        key ^= top_bit<T>;
    return descending ? static_cast<KeyFor<T>>(key ^ all_bits<T>) : key;
}

template <typename T>
T number_of(KeyFor<T> key, bool descending) {
    if constexpr (std::is_floating_point_v<T>)
        if (key == all_bits<T>) return std::numeric_limits<T>::quiet_NaN();
    if (descending) key ^= all_bits<T>;
    if constexpr (std::is_floating_point_v<T>)
        key ^= (key & top_bit<T>) != 0 ? top_bit<T> : all_bits<T>;
    else if constexpr (std::is_signed_v<T>)
        key ^= top_bit<T>;
    T number{};
    std::memcpy(&number, &key, sizeof number);
    return number;
}

// Numbers of one type become keys where they lie, and keys numbers.
template <typename Key>
class KeysOf {
public:
    using Function = void (*)(Key* first, sets::Index count, bool descending);
    KeysOf(Function encode, Function decode, bool descending) : encode_(encode), decode_(decode), descending_(descending) {}
    void encode(Key* first, sets::Index count) const { encode_(first, count, descending_); }
    void decode(Key* first, sets::Index count) const { decode_(first, count, descending_); }

private:
    Function encode_, decode_;
    bool descending_;
};

template <typename T>
KeysOf<KeyFor<T>> keys_of(bool descending) {
    using Key = KeyFor<T>;
    const auto encode = [](Key* first, sets::Index count, bool downwards) {
        for (Key* place = first; place != first + count; ++place) {
            T number;
            std::memcpy(&number, place, sizeof number);
            *place = key_of<T>(number, downwards);
        }
    };
    const auto decode = [](Key* first, sets::Index count, bool downwards) {
        for (Key* place = first; place != first + count; ++place) {
            const T number = number_of<T>(*place, downwards);
            std::memcpy(place, &number, sizeof number);
        }
    };
    return {encode, decode, descending};
}

}  // namespace kumihimo::arrays
