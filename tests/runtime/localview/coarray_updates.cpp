// Accumulate, atomic operations and locks while all images update the same memory.
#include <atomic>
#include <complex>
#include <functional>
#include <set>

#include "kumihimo/xmp_io.h"
#include "runtime/localview/mailbox.hpp"
#include "runtime/transport/helping.hpp"
#include "tests/runtime/localview/coarray_model.hpp"
#include "tests/support/shared_file.hpp"

namespace kumihimo::test {
namespace {

constexpr std::size_t updated_bytes = 1 << 17;  // two stripes of locks

XMP_Coarray* updated() {
    static XMP_Coarray* const coarray = XMP_Coarray_declare("updated", updated_bytes, nullptr);
    return coarray;
}

class Updates : public testing::Test {
protected:
    const int images = nodes_in_all(), me = my_node();
    void* const base = updated()->base;

    // To the 0 that each has there; the second answer needs the other image's help.
    void add_two_to_others(int* word) const {
        int one = 1, found = 0;
        const XMP_Section remote = {word, 0, {}, {}}, from = {&one, 0, {}, {}};
        for (int image = 1; image < images; ++image) {
            XMP_Accumulate(XMP_SITE("accumulate"), updated(), image, &remote, &from, XMP_SUM, XMP_TYPE_INT);
            XMP_Atomic(XMP_SITE("atomic"), updated(), image, word, sizeof(int), XMP_ATOMIC_ADD, 1, 0, &found);
            EXPECT_EQ(found, 1);
        }
    }
};

// ---- accumulate ----

template <typename T>
constexpr bool whole_number = std::is_integral_v<T>;

template <typename T>
T apply(int operation, T a, T b) {
    switch (operation) {
        case XMP_SUM:
            return static_cast<T>(a + b);
        case XMP_DIFFERENCE:
            return static_cast<T>(a - b);
        case XMP_PRODUCT:
            return static_cast<T>(a * b);
        case XMP_QUOTIENT:
            return static_cast<T>(a / b);
        default:
            break;
    }
    if constexpr (whole_number<T>) {
        if (operation == XMP_BAND) return static_cast<T>(a & b);
        if (operation == XMP_BOR) return static_cast<T>(a | b);
        if (operation == XMP_BXOR) return static_cast<T>(a ^ b);
    }
    return a;
}

// Results are exact and do not depend on the order of the images.
template <typename T>
T start_value(std::size_t at) {
    return static_cast<T>(at % 3 + 4);
}
template <typename T>
T operand(int round, int image, std::size_t at) {
    return static_cast<T>(1 << ((static_cast<std::size_t>(round + image) + at) % 2));
}

template <typename T>
void accumulate_at_once(int type, Random& random) {
    constexpr int operations[] = {XMP_SUM, XMP_DIFFERENCE, XMP_PRODUCT, XMP_QUOTIENT, XMP_BAND, XMP_BOR, XMP_BXOR};
    const int images = nodes_in_all(), me = my_node();
    auto* const mine = static_cast<T*>(updated()->base);
    constexpr std::size_t length = updated_bytes / sizeof(T);
    for (int round = 0; round < (images <= 3 ? 3 : 1); ++round) {
        const int operation = operations[random.between(0, whole_number<T> ? 6 : 3)];
        for (std::size_t at = 0; at < length; ++at) mine[at] = start_value<T>(at);
        std::vector<T> expected(mine, mine + length);
        sync_all();
        for (int image = 0; image < images; ++image) {  // all images play all parts in the model
            const int target = static_cast<int>(random.between(0, images - 1));
            const Index step = random.between(1, 3) * (random.one_in(3) ? -1 : 1);
            const Index count = random.one_in(4) ? static_cast<Index>(length) / 3 : random.between(1, 50);
            const auto first = static_cast<std::size_t>(step < 0 ? (count - 1) * -step : 0) +
                               static_cast<std::size_t>(random.between(0, 3) == 0 ? 0 : 1) *
                                   (length - static_cast<std::size_t>((count - 1) * std::abs(step)) - 1);
            const bool scalar = random.one_in(3);
            std::vector<T> source(static_cast<std::size_t>(count));
            for (std::size_t i = 0; i < source.size(); ++i) source[i] = operand<T>(round, image, scalar ? 0 : i);
            const auto size = static_cast<Index>(sizeof(T));
            const XMP_Section remote = {mine + first, 1, {count}, {step * size}};
            const XMP_Section from = {source.data(), scalar ? 0 : 1, {count}, {size}};
            if (image == me) XMP_Accumulate(XMP_SITE("accumulate"), updated(), target, &remote, &from, operation, type);
            if (target != me) continue;
            for (std::size_t i = 0; i < source.size(); ++i) {
                T& element = expected[first + static_cast<std::size_t>(static_cast<Index>(i) * step)];
                element = apply(operation, element, source[i]);
            }
        }
        sync_all();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), mine)) << "type " << type << ", operation " << operation;
        sync_all();
    }
}

TEST_F(Updates, AccumulateOfEveryType) {
    Random random(11);
    accumulate_at_once<signed char>(XMP_TYPE_SCHAR, random);
    accumulate_at_once<unsigned short>(XMP_TYPE_USHORT, random);
    accumulate_at_once<int>(XMP_TYPE_INT, random);
    accumulate_at_once<unsigned>(XMP_TYPE_UINT, random);
    accumulate_at_once<long>(XMP_TYPE_LONG, random);
    accumulate_at_once<unsigned long long>(XMP_TYPE_ULONGLONG, random);
    accumulate_at_once<float>(XMP_TYPE_FLOAT, random);
    accumulate_at_once<double>(XMP_TYPE_DOUBLE, random);
    accumulate_at_once<long double>(XMP_TYPE_LONGDOUBLE, random);
    accumulate_at_once<std::complex<float>>(XMP_TYPE_FLOAT_COMPLEX, random);
    accumulate_at_once<std::complex<double>>(XMP_TYPE_DOUBLE_COMPLEX, random);
    accumulate_at_once<std::complex<long double>>(XMP_TYPE_LONGDOUBLE_COMPLEX, random);
}

// Integers wrap around as in C, and the parts of a complex number stay apart, also one at a time.
TEST_F(Updates, AccumulatePastTheGreatestValue) {
    auto* const small = static_cast<unsigned short*>(base);
    auto* const complex = reinterpret_cast<std::complex<float>*>(small + 64);
    std::fill_n(small, 64, static_cast<unsigned short>(2));
    *complex = {4, 4};
    sync_all();
    std::vector<unsigned short> ones(64, 1);
    std::complex<float> value{1, -2};
    const XMP_Section shorts = {small, 1, {64}, {2}}, from = {ones.data(), 1, {64}, {2}};
    const XMP_Section one = {complex, 0, {}, {}}, single = {&value, 0, {}, {}};
    for (int i = 0; i < 5; ++i) XMP_Accumulate(XMP_SITE("-="), updated(), 0, &shorts, &from, XMP_DIFFERENCE, XMP_TYPE_USHORT);
    XMP_Accumulate(XMP_SITE("+="), updated(), 0, &one, &single, XMP_SUM, XMP_TYPE_FLOAT_COMPLEX);
    sync_all();
    const auto all = static_cast<float>(images);
    if (me == 0) {
        EXPECT_EQ(small[63], static_cast<unsigned short>(2 - 5 * images));
        EXPECT_EQ(*complex, std::complex<float>(4 + all, 4 - 2 * all));
    }
    sync_all();
}

TEST_F(Updates, NoAccumulateIsLost) {
    auto* const sum = static_cast<double*>(base);
    constexpr Index length = 500;
    std::fill_n(sum, length, 0.0);
    sync_all();
    const int times = rounds(200);
    const std::vector<double> ones(length, 1.0);
    const XMP_Section from = {const_cast<double*>(ones.data()), 1, {length}, {sizeof(double)}};
    const XMP_Section all = {sum, 1, {length}, {sizeof(double)}};
    const double unit = 1.0;
    for (int i = 0; i < times; ++i) {
        XMP_Accumulate(XMP_SITE("accumulate"), updated(), 0, &all, &from, XMP_SUM, XMP_TYPE_DOUBLE);
        XMP_Accumulate_one(XMP_SITE("accumulate"), updated(), 0, sum, &unit, XMP_SUM, XMP_TYPE_DOUBLE);
    }
    sync_all();
    if (me == 0) {
        EXPECT_EQ(sum[0], 2.0 * times * images);
        EXPECT_EQ(sum[length - 1], 1.0 * times * images);
    }
    sync_all();
}

// ---- atomic operations ----

template <typename Integer>
void count_together() {
    const int images = nodes_in_all(), me = my_node(), times = rounds(200);
    auto* const word = static_cast<Integer*>(updated()->base);
    const auto atomic = [&](int operation, long long operand, long long compare = 0) {
        Integer before = -77;
        XMP_Atomic(XMP_SITE("atomic"), updated(), images - 1, word, sizeof(Integer), operation, operand, compare, &before);
        return before;
    };
    if (me == 0) atomic(XMP_ATOMIC_DEFINE, -5);
    sync_all();
    Integer last = -6;
    for (int i = 0; i < times; ++i) {
        const Integer before = atomic(XMP_ATOMIC_ADD, 1);
        EXPECT_GT(before, last);  // nobody else got the same number
        last = before;
    }
    for (int i = 0; i < times; ++i)
        for (Integer seen = atomic(XMP_ATOMIC_REF, 0);;) {
            const Integer before = atomic(XMP_ATOMIC_CAS, seen + 2, seen);
            if (before == seen) break;
            seen = before;
        }
    sync_all();
    EXPECT_EQ(atomic(XMP_ATOMIC_REF, 0), 3 * times * images - 5);
    sync_all();
    if (me == 0) atomic(XMP_ATOMIC_DEFINE, 0);
    sync_all();
    atomic(XMP_ATOMIC_OR, 1 << me);
    sync_all();
    EXPECT_EQ(atomic(XMP_ATOMIC_REF, 0), (1 << images) - 1);
    sync_all();
    atomic(XMP_ATOMIC_XOR, 3 << me);
    sync_all();
    EXPECT_EQ(atomic(XMP_ATOMIC_REF, 0), (2 << images) - 2);  // each bit but the lowest was changed twice, or once from 0
    sync_all();
    atomic(XMP_ATOMIC_AND, ~(2 << me));
    sync_all();
    EXPECT_EQ(atomic(XMP_ATOMIC_REF, 0), 0);
    sync_all();
}

TEST_F(Updates, AtomicsOfFourBytes) {
    count_together<int>();
}
TEST_F(Updates, AtomicsOfEightBytes) {
    count_together<long long>();
}

// `a:[0] += 1` is an accumulate, its value an atomic operation.
TEST_F(Updates, AccumulatesAndAtomicsMeet) {
    auto* const word = static_cast<int*>(base);
    *word = 0;
    sync_all();
    int one = 1;
    const XMP_Section remote = {word, 0, {}, {}}, from = {&one, 0, {}, {}};
    const int times = rounds(300);
    for (int i = 0; i < times; ++i) {
        XMP_Accumulate(XMP_SITE("accumulate"), updated(), 0, &remote, &from, XMP_SUM, XMP_TYPE_INT);
        XMP_Atomic(XMP_SITE("atomic"), updated(), 0, word, sizeof(int), XMP_ATOMIC_ADD, 1, 0, nullptr);
    }
    sync_all();
    if (me == 0) {
        EXPECT_EQ(*word, 2 * times * images);
    }
    sync_all();
}

// Images that wait in a collective operation for one that first needs their help.
TEST_F(Updates, WaitingImagesHelp) {
    auto* const word = static_cast<int*>(base);
    int sum = 0;
    const std::function<void()> ways[] = {
        [] { XMP_Barrier(XMP_SITE("barrier"), nullptr); },
        [&] { XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_SUM, XMP_TYPE_INT, 1, &sum, nullptr); },
        [] { XMP_Coarray_declare("allocated meanwhile", sizeof(int), nullptr); },
        [&] {
            const support::SharedFile name("helped");
            xmp_file_t* const file = xmp_fopen_all(name.path.c_str(), "w");
            EXPECT_EQ(xmp_fwrite_all(file, &me, sizeof me, 1), static_cast<ssize_t>(sizeof me));
            xmp_fclose_all(file);
        },
    };
    for (const auto& wait : ways) {
        *word = 0;
        sync_all();
        if (me == 0) add_two_to_others(word);
        wait();
        sync_all();
        EXPECT_EQ(*word, me == 0 ? 0 : 2);
        sync_all();
    }
}

// By a thread where messages are needed; else by themselves.
TEST_F(Updates, ComputingImagesHelp) {
    if (localview::has_far_images() && !transport::thread_may_help()) GTEST_SKIP() << "there is no thread that helps";
    auto* const word = static_cast<int*>(base);
    const std::function<void()> ways[] = {
        [&] {
            while (me != 0 && std::atomic_ref<int>(*word).load() != 2) {
            }
        },
        [] { MPI_Barrier(MPI_COMM_WORLD); },
    };
    for (const auto& compute : ways) {
        *word = 0;
        sync_all();
        if (me == 0) add_two_to_others(word);
        compute();
        sync_all();
    }
}

// ---- locks ----

XMP_Coarray* locks() {
    static XMP_Coarray* const coarray = XMP_Coarray_declare("locks", 2 * sizeof(xmp_lock_t), nullptr);
    return coarray;
}

TEST_F(Updates, LockExcludes) {
    XMP_Coarray* const coarray = locks();
    auto* const second = static_cast<xmp_lock_t*>(coarray->base) + 1;
    auto* const value = static_cast<long*>(base);
    *value = 0;
    sync_all();
    const int times = rounds(60), home = images / 2;
    for (int i = 0; i < times; ++i) {
        int status = -1;
        XMP_Lock(XMP_SITE("lock"), coarray, home, second, nullptr, &status);
        EXPECT_EQ(status, XMP_STAT_SUCCESS);
        long seen = 0;
        XMP_Get_run(XMP_SITE("get"), updated(), 0, value, &seen, sizeof seen);
        ++seen;
        XMP_Put_run(XMP_SITE("put"), updated(), 0, value, &seen, sizeof seen);
        XMP_Unlock(XMP_SITE("unlock"), coarray, home, second, nullptr);
    }
    sync_all();
    if (me == 0) {
        EXPECT_EQ(*value, static_cast<long>(times) * images);
    }
    sync_all();
}

TEST_F(Updates, LockTellsItsState) {
    XMP_Coarray* const coarray = locks();
    void* const lock = coarray->base;
    int acquired = -1, status = -1;
    if (me == 0) {
        XMP_Lock(XMP_SITE("lock"), coarray, 0, lock, &acquired, &status);
        EXPECT_EQ(acquired, 1);
        EXPECT_EQ(status, XMP_STAT_SUCCESS);
        XMP_Lock(XMP_SITE("lock"), coarray, 0, lock, nullptr, &status);
        EXPECT_EQ(status, XMP_STAT_LOCKED);
    }
    sync_all();
    if (me != 0) {
        XMP_Lock(XMP_SITE("lock"), coarray, 0, lock, &acquired, &status);
        EXPECT_EQ(acquired, 0);
        EXPECT_EQ(status, XMP_STAT_SUCCESS);
        XMP_Unlock(XMP_SITE("unlock"), coarray, 0, lock, &status);
        EXPECT_EQ(status, XMP_STAT_LOCKED_OTHER_IMAGE);
    }
    sync_all();
    if (me == 0) {
        XMP_Unlock(XMP_SITE("unlock"), coarray, 0, lock, &status);
        EXPECT_EQ(status, XMP_STAT_SUCCESS);
        XMP_Unlock(XMP_SITE("unlock"), coarray, 0, lock, &status);
        EXPECT_EQ(status, XMP_STAT_UNLOCKED);
    }
    sync_all();
}

}  // namespace
}  // namespace kumihimo::test
