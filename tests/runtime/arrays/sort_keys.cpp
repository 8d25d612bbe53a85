// Keys stand in the order of the numbers that they were made of, in both directions, and give the numbers back.
#include "runtime/arrays/sort_keys.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kumihimo::arrays {
namespace {

template <typename T>
std::vector<T> numbers() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> list = {Limits::lowest(), Limits::max(), T(0), T(1), T(2), T(3), T(100)};
    if constexpr (Limits::is_signed) list.insert(list.end(), {T(-1), T(-2), T(-100)});
    if constexpr (std::is_floating_point_v<T>) {
        list.insert(list.end(),
                    {Limits::infinity(), -Limits::infinity(), Limits::min(), -Limits::min(), Limits::denorm_min(),
                     -Limits::denorm_min(), Limits::epsilon(), T(1) + Limits::epsilon(), T(1) / T(3), -T(1) / T(3)});
    }
    if constexpr (sizeof(T) == 1)
        for (int all = Limits::lowest(); all <= Limits::max(); ++all) list.push_back(static_cast<T>(all));
    return list;
}

template <typename T>
class SortKeys : public testing::Test {};
using Types = testing::Types<char, signed char, unsigned char, short, unsigned short, int, unsigned, long long,
                             unsigned long long, float, double, long double>;
TYPED_TEST_SUITE(SortKeys, Types);

TYPED_TEST(SortKeys, StandInTheOrderOfNumbers) {
    for (const bool descending : {false, true})
        for (const TypeParam a : numbers<TypeParam>()) {
            EXPECT_EQ(number_of<TypeParam>(key_of(a, descending), descending), a);
            for (const TypeParam b : numbers<TypeParam>())
                ASSERT_EQ(key_of(a, descending) < key_of(b, descending), descending ? b < a : a < b) << +a << ' ' << +b;
        }
}

TYPED_TEST(SortKeys, NotANumberComesLast) {
    if constexpr (std::is_floating_point_v<TypeParam>)
        for (const bool descending : {false, true})
            for (const TypeParam sign : {TypeParam(1), TypeParam(-1)}) {
                const auto key = key_of(std::copysign(std::numeric_limits<TypeParam>::quiet_NaN(), sign), descending);
                EXPECT_TRUE(std::isnan(number_of<TypeParam>(key, descending)));
                for (const TypeParam number : numbers<TypeParam>()) ASSERT_LT(key_of(number, descending), key) << number;
            }
}

}  // namespace
}  // namespace kumihimo::arrays
