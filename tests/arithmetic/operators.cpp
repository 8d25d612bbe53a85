// Each operator on each type, by the loops for vectors, against one element after the other: whole numbers in 128 bits, of
// which the low ones are kept.
#include "arithmetic/operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "tests/support/random.hpp"

namespace kumihimo::arithmetic {
namespace {

__extension__ using Wide = __int128;
__extension__ using Bits = unsigned __int128;

template <typename T>
using Values = std::vector<T>;

// By the loop, at any address.
template <typename Operator, typename T>
Values<T> combined(const Values<T>& a, const Values<T>& b) {
    const std::size_t bytes = a.size() * sizeof(T);
    std::vector<std::byte> into(bytes + 1), from(bytes + 3);
    std::copy_n(reinterpret_cast<const std::byte*>(a.data()), bytes, into.begin() + 1);
    std::copy_n(reinterpret_cast<const std::byte*>(b.data()), bytes, from.begin() + 3);
    combine<Operator, T>()(into.data() + 1, from.data() + 3, a.size());
    Values<T> found(a.size());
    std::copy_n(into.begin() + 1, bytes, reinterpret_cast<std::byte*>(found.data()));
    return found;
}

template <typename Operator, typename T, typename Expected>
void expect_each(const Values<T>& a, const Values<T>& b, Expected&& expected) {
    const Values<T> found = combined<Operator>(a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool right = found[i] == static_cast<T>(expected(a[i], b[i]));
        ASSERT_TRUE(right) << "operands " << +a[i] << " and " << +b[i] << ", result " << +found[i];
    }
}

template <typename T>
void expect_whole(const Values<T>& a, const Values<T>& b) {
    expect_each<Sum>(a, b, [](Bits x, Bits y) { return x + y; });
    expect_each<Difference>(a, b, [](Bits x, Bits y) { return x - y; });
    expect_each<Product>(a, b, [](Bits x, Bits y) { return x * y; });
    expect_each<BitAnd>(a, b, [](Bits x, Bits y) { return x & y; });
    expect_each<BitOr>(a, b, [](Bits x, Bits y) { return x | y; });
    expect_each<BitXor>(a, b, [](Bits x, Bits y) { return x ^ y; });
    expect_each<Least>(a, b, [](Wide x, Wide y) { return x < y ? x : y; });
    expect_each<Greatest>(a, b, [](Wide x, Wide y) { return x < y ? y : x; });
    Values<T> divisors = b;
    for (T& divisor : divisors)
        if (divisor == 0 || divisor == static_cast<T>(-1)) divisor = 3;  // a quotient that overflows ends a program
    expect_each<Quotient>(a, divisors, [](Wide x, Wide y) { return x / y; });
}

template <typename T>
class Whole : public testing::Test {};
using WholeTypes =
    testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned, long long, unsigned long long>;
TYPED_TEST_SUITE(Whole, WholeTypes);

TYPED_TEST(Whole, AsIn128Bits) {
    using T = TypeParam;
    support::Random random;
    const T ends[] = {0, 1, static_cast<T>(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    const auto any = [&] { return random.one_of(3) ? ends[random.between(0, 4)] : static_cast<T>(random.engine()()); };
    for (std::size_t count = 0; count < 150 && !this->HasFatalFailure(); ++count) {
        Values<T> a(count), b(count);
        for (std::size_t i = 0; i < count; ++i) a[i] = any(), b[i] = any();
        expect_whole(a, b);
    }
}

template <typename T>
void expect_every_pair_of_bytes() {
    Values<T> a, b;
    for (int x = 0; x < 256; ++x)
        for (int y = 0; y < 256; ++y) a.push_back(static_cast<T>(x)), b.push_back(static_cast<T>(y));
    expect_whole(a, b);
}
TEST(Bytes, EveryPair) {
    expect_every_pair_of_bytes<signed char>();
    expect_every_pair_of_bytes<unsigned char>();
}

TEST(Truths, EveryPair) {
    const std::vector<unsigned char> a = {0, 0, 1, 1}, b = {0, 1, 0, 1}, both = {0, 0, 0, 1}, any = {0, 1, 1, 1};
    const auto by = [&](Combine loop) {
        std::vector<unsigned char> into = a;
        loop(reinterpret_cast<std::byte*>(into.data()), reinterpret_cast<const std::byte*>(b.data()), a.size());
        return into;
    };
    EXPECT_EQ(by(combine<Sum, bool>()), any);
    EXPECT_EQ(by(combine<Product, bool>()), both);
    EXPECT_EQ(by(combine<BitAnd, bool>()), both);
    EXPECT_EQ(by(combine<BitOr, bool>()), any);
}

template <typename T>
class Floating : public testing::Test {};
using FloatingTypes = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(Floating, FloatingTypes);

TYPED_TEST(Floating, SameBitsAsOneByOne) {
    using T = TypeParam;
    support::Random random;
    Values<T> a, b;
    for (int i = 0; i < 1003; ++i) {
        a.push_back(static_cast<T>(random.between(-1'000'000, 1'000'000)) / 7);
        b.push_back(static_cast<T>(random.between(1, 1'000'000)) / 11);
    }
    expect_each<Sum>(a, b, [](T x, T y) { return x + y; });
    expect_each<Difference>(a, b, [](T x, T y) { return x - y; });
    expect_each<Product>(a, b, [](T x, T y) { return x * y; });
    expect_each<Quotient>(a, b, [](T x, T y) { return x / y; });
    expect_each<Least>(a, b, [](T x, T y) { return x < y ? x : y; });
    expect_each<Greatest>(a, b, [](T x, T y) { return x < y ? y : x; });
}

}  // namespace
}  // namespace kumihimo::arithmetic
