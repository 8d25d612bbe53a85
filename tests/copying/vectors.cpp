// Each form of a vectorised loop against the loop itself, for lengths around the vectors'.
#include "copying/vectors.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using namespace kumihimo::copying;

template <typename T>
void add(T* into, const T* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) into[i] = static_cast<T>(into[i] + from[i]);
}

template <typename T>
void expect_the_same(void (*form)(T*, const T*, std::size_t)) {
    for (std::size_t count = 0; count <= 300; ++count) {
        std::vector<T> into(count + 1), from(count + 1);
        for (std::size_t i = 0; i <= count; ++i) {
            into[i] = static_cast<T>(i * 0.37 + 1);
            from[i] = static_cast<T>(count - i * 0.11);
        }
        std::vector<T> expected = into;
        for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<T>(into[i] + from[i]);
        form(into.data(), from.data(), count);
        ASSERT_EQ(into, expected) << count << " elements";
    }
}

template <typename T>
void expect_all_forms() {
    expect_the_same<T>(InVectors<&add<T>>::widest());
#if defined(__x86_64__)
    if (widest_vectors() >= Vectors::avx2) expect_the_same<T>(InVectors<&add<T>>::avx2);
#endif
}

TEST(Vectors, all_forms_compute_the_same_bits) {
    expect_all_forms<double>();
    expect_all_forms<float>();
    expect_all_forms<short>();
    expect_all_forms<signed char>();
}

}  // namespace
