// The product of matrices in memory: our own kernel for every type, and BLAS where the program has one. This program has a
// zgemm_ of its own, and no other.
#include "runtime/arrays/multiply.hpp"

#include <complex>
#include <cstdint>

#include "runtime/elements/element_type.hpp"
#include "tests/runtime/globalview/program.hpp"

static int calls_of_zgemm = 0;

// In columns, as BLAS: c = alpha a b + beta c.
extern "C" __attribute__((visibility("default"))) void zgemm_(const char*, const char*, const int* rows, const int* columns,
                                                              const int* depth, const std::complex<double>* alpha,
                                                              const std::complex<double>* a, const int* a_column,
                                                              const std::complex<double>* b, const int* b_column,
                                                              const std::complex<double>* beta, std::complex<double>* c,
                                                              const int* c_column) {
    ++calls_of_zgemm;
    for (int j = 0; j < *columns; ++j)
        for (int i = 0; i < *rows; ++i) {
            std::complex<double> sum = 0;
            for (int k = 0; k < *depth; ++k) sum += a[i + k * *a_column] * b[k + j * *b_column];
            c[i + j * *c_column] = *beta * c[i + j * *c_column] + *alpha * sum;
        }
}

namespace kumihimo::test {
namespace {

using arrays::Multiply;
using arrays::Product;

template <typename T>
T number(Random& random) {
    if constexpr (elements::is_complex<T>)
        return T(static_cast<typename T::value_type>(random.between(-9, 9)),
                 static_cast<typename T::value_type>(random.between(-9, 9)));
    else
        return static_cast<T>(random.between(0, 99));
}

template <typename T>
void compare(Random& random, Multiply multiply, int type) {
    const Index rows = random.between(1, 40), columns = random.between(1, 40),
                depth = random.one_in(5) ? random.between(250, 600) : random.between(1, 30);
    const Index a_row = depth + random.between(0, 3), b_row = columns + random.between(0, 3),
                c_row = columns + random.between(0, 3);
    std::vector<T> a(static_cast<std::size_t>(rows * a_row)), b(static_cast<std::size_t>(depth * b_row)),
        c(static_cast<std::size_t>(rows * c_row));
    for (std::vector<T>* matrix : {&a, &b, &c})
        for (T& value : *matrix) value = number<T>(random);
    std::vector<T> expected = c;
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j)
            for (Index k = 0; k < depth; ++k) {
                T& sum = expected[static_cast<std::size_t>(i * c_row + j)];
                const T left = a[static_cast<std::size_t>(i * a_row + k)], right = b[static_cast<std::size_t>(k * b_row + j)];
                if constexpr (std::is_integral_v<T>)
                    sum = static_cast<T>(static_cast<std::uint64_t>(sum) +
                                         static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right));
                else
                    sum += left * right;
            }
    multiply({rows, columns, depth, a.data(), a_row, b.data(), b_row, c.data(), c_row});
    ASSERT_EQ(c, expected) << "type " << type << ": " << rows << " x " << depth << " times " << depth << " x " << columns;
}

TEST(Multiply, EveryType) {
    Random random(61);
    for (int type = XMP_TYPE_CHAR; type <= XMP_TYPE_LONGDOUBLE_COMPLEX; ++type)
        for (int round = 0; round < 3 && !HasFailure(); ++round)
            elements::with_type(type, [&](auto zero) {
                if constexpr (!std::is_same_v<decltype(zero), bool>)
                    compare<decltype(zero)>(random, arrays::own_multiply_of(type), type);
                return 0;
            });
    for (const int type : {XMP_TYPE_BOOL, XMP_TYPE_OTHER, XMP_TYPE_LOGICAL}) EXPECT_EQ(arrays::multiply_of(type), nullptr);
}

TEST(Multiply, ByTheProgramsBlas) {
    Random random(62);
    const int before = calls_of_zgemm;
    compare<std::complex<double>>(random, arrays::multiply_of(XMP_TYPE_DOUBLE_COMPLEX), XMP_TYPE_DOUBLE_COMPLEX);
    EXPECT_EQ(calls_of_zgemm, before + 1);
    EXPECT_EQ(arrays::multiply_of(XMP_TYPE_DOUBLE), arrays::own_multiply_of(XMP_TYPE_DOUBLE));
}

}  // namespace
}  // namespace kumihimo::test
