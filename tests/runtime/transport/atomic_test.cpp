// Accumulates and atomics of every transport under contention: all images work on the same elements of one image.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>

#include "contract.hpp"
#include "kumihimo/generated.h"

namespace kumihimo::transport {
namespace {

class Accumulate : public Contract {
protected:
    static int repetitions() { return size() <= 2 ? 10 : 3; }
};
class Atomics : public Contract {
protected:
    static std::int64_t on_last(Region& region, std::size_t offset, std::size_t bytes, Atomic operation, std::int64_t operand,
                                std::int64_t compare = 0) {
        return transport().atomic(region, size() - 1, offset, bytes, operation, operand, compare);
    }
};

template <typename T>
constexpr bool is_complex = false;
template <typename T>
constexpr bool is_complex<std::complex<T>> = true;

// Values whose result does not depend on the order, and C's own operators for what comes out.
template <typename T>
T initial(Reduction operation, int i) {
    if (operation == Reduction::quotient || operation == Reduction::bit_and) return static_cast<T>(96 + i % 8);
    return static_cast<T>(i % 5 + 1);
}
template <typename T>
T operand(Reduction operation, int image, int repetition, int i) {
    switch (operation) {
        case Reduction::product:
            return static_cast<T>((image + repetition + i) % 2 + 1);
        case Reduction::quotient:
            return static_cast<T>((image + i) % 4 == 0 && repetition == 0 ? 2 : 1);
        default:
            return static_cast<T>((image * 3 + repetition + i) % 8);
    }
}
template <typename T>
void serially(Reduction operation, T& value, T with) {
    if (operation == Reduction::sum) value += with;
    if (operation == Reduction::difference) value -= with;
    if (operation == Reduction::quotient) value /= with;
    if constexpr (std::is_same_v<T, bool>) {
        if (operation == Reduction::product) value = value && with;
    } else {
        if (operation == Reduction::product) value *= with;
    }
    if constexpr (std::is_integral_v<T>) {
        if (operation == Reduction::bit_and) value &= with;
        if (operation == Reduction::bit_or) value |= with;
        if (operation == Reduction::bit_xor) value ^= with;
    }
}

// One area of the region for one operation on one type: every second element of `count` is worked on.
struct Case {
    static constexpr int count = 6;
    std::string name;
    std::function<void(std::byte*)> prepare;
    std::function<void(Transport&, Region&, int target, std::size_t offset, int image, int repetition)> work;
    std::function<void(const std::byte*, int images, int repetitions)> check;
};

template <typename T>
Case make_case(Reduction operation, int type, const char* type_name) {
    Case result;
    result.name = std::string(type_name) + " operation " + std::to_string(static_cast<int>(operation));
    result.prepare = [=](std::byte* area) {
        for (int i = 0; i < 2 * Case::count; ++i) reinterpret_cast<T*>(area)[i] = initial<T>(operation, i);
    };
    result.work = [=](Transport& transport, Region& region, int target, std::size_t offset, int image, int repetition) {
        alignas(T) T operands[Case::count];
        for (int i = 0; i < Case::count; ++i) operands[i] = operand<T>(operation, image, repetition, i);
        const sets::PairedLevel second{Case::count, 2 * sizeof(T), sizeof(T)};
        const Correspondence shape(sizeof(T), {&second, 1});
        transport.accumulate(region, target, offset, reinterpret_cast<const std::byte*>(operands), shape, operation, type);
    };
    result.check = [=, name = result.name](const std::byte* area, int images, int repetitions) {
        const T* const found = reinterpret_cast<const T*>(area);
        for (int i = 0; i < Case::count; ++i) {
            T expected = initial<T>(operation, 2 * i);
            for (int image = 0; image < images; ++image)
                for (int repetition = 0; repetition < repetitions; ++repetition)
                    serially<T>(operation, expected, operand<T>(operation, image, repetition, i));
            EXPECT_EQ(expected, found[2 * i]) << name << " element " << i;
            EXPECT_EQ((initial<T>(operation, 2 * i + 1)), found[2 * i + 1]) << name << " beside element " << i;
        }
    };
    return result;
}

template <typename T>
void add_cases(std::vector<Case>& cases, int type, const char* name) {
    for (const Reduction operation : {Reduction::sum, Reduction::product, Reduction::difference, Reduction::quotient}) {
        // true - true - true depends on the order
        if (std::is_same_v<T, bool> && operation != Reduction::sum && operation != Reduction::product) continue;
        cases.push_back(make_case<T>(operation, type, name));
    }
    if (!std::is_integral_v<T>) return;
    for (const Reduction operation : {Reduction::bit_and, Reduction::bit_or, Reduction::bit_xor})
        cases.push_back(make_case<T>(operation, type, name));
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    add_cases<bool>(cases, XMP_TYPE_BOOL, "_Bool");
    add_cases<char>(cases, XMP_TYPE_CHAR, "char");
    add_cases<signed char>(cases, XMP_TYPE_SCHAR, "signed char");
    add_cases<unsigned char>(cases, XMP_TYPE_UCHAR, "unsigned char");
    add_cases<short>(cases, XMP_TYPE_SHORT, "short");
    add_cases<unsigned short>(cases, XMP_TYPE_USHORT, "unsigned short");
    add_cases<int>(cases, XMP_TYPE_INT, "int");
    add_cases<unsigned>(cases, XMP_TYPE_UINT, "unsigned");
    add_cases<long>(cases, XMP_TYPE_LONG, "long");
    add_cases<unsigned long>(cases, XMP_TYPE_ULONG, "unsigned long");
    add_cases<long long>(cases, XMP_TYPE_LONGLONG, "long long");
    add_cases<unsigned long long>(cases, XMP_TYPE_ULONGLONG, "unsigned long long");
    add_cases<float>(cases, XMP_TYPE_FLOAT, "float");
    add_cases<double>(cases, XMP_TYPE_DOUBLE, "double");
    add_cases<long double>(cases, XMP_TYPE_LONGDOUBLE, "long double");
    add_cases<std::complex<float>>(cases, XMP_TYPE_FLOAT_COMPLEX, "float _Complex");
    add_cases<std::complex<double>>(cases, XMP_TYPE_DOUBLE_COMPLEX, "double _Complex");
    add_cases<std::complex<long double>>(cases, XMP_TYPE_LONGDOUBLE_COMPLEX, "long double _Complex");
    return cases;
}

TEST_F(Accumulate, IsAtomicForEveryTypeAndOperation) {
    const auto cases = all_cases();
    constexpr std::size_t area = 2 * Case::count * sizeof(std::complex<long double>);
    const auto region = transport().allocate(cases.size() * area);
    const int target = size() - 1;
    for (std::size_t k = 0; k < cases.size(); ++k) cases[k].prepare(region->local() + k * area);
    synchronise();
    for (int repetition = 0; repetition < repetitions(); ++repetition)
        for (std::size_t k = 0; k < cases.size(); ++k)
            cases[k].work(transport(), *region, target, k * area, rank(), repetition);
    synchronise();
    if (rank() == target)
        for (std::size_t k = 0; k < cases.size(); ++k) cases[k].check(region->local() + k * area, size(), repetitions());
    barrier();
}

TEST_F(Accumulate, LongVectorsAndSpreadScalars) {
    constexpr int count = 8192;
    const auto region = transport().allocate(count * sizeof(double));
    std::vector<double> mine(count);
    std::iota(mine.begin(), mine.end(), rank());
    const double scalar = 0.5;
    const sets::PairedLevel each{count, sizeof(double), sizeof(double)}, one_to_all{count, sizeof(double), 0};
    const Correspondence shape(sizeof(double), {&each, 1}), spread(sizeof(double), {&one_to_all, 1});
    const int target = size() / 2;
    transport().accumulate(*region, target, 0, reinterpret_cast<const std::byte*>(mine.data()), shape, Reduction::sum,
                           XMP_TYPE_DOUBLE);
    transport().accumulate(*region, target, 0, reinterpret_cast<const std::byte*>(&scalar), spread, Reduction::difference,
                           XMP_TYPE_DOUBLE);
    synchronise();
    if (rank() == target) {
        const auto* const found = reinterpret_cast<const double*>(region->local());
        for (int i = 0; i < count; ++i) ASSERT_EQ(found[i], size() * (i + (size() - 1) / 2.0 - 0.5)) << i;
    }
    barrier();
}

TEST_F(Accumulate, KeepsTheOrderOfDifferentOperations) {
    const auto region = transport().allocate(64);
    const int target = (rank() + 1) % size();
    const Correspondence shape = run_of(sizeof(int));
    const auto apply = [&](Reduction operation, int value) {
        transport().accumulate(*region, target, 0, reinterpret_cast<const std::byte*>(&value), shape, operation, XMP_TYPE_INT);
    };
    const int start = 5;
    transport().put(*region, target, 0, reinterpret_cast<const std::byte*>(&start), shape);
    apply(Reduction::sum, 3);
    apply(Reduction::product, 4);
    apply(Reduction::quotient, 2);
    apply(Reduction::difference, 1);
    apply(Reduction::bit_xor, 3);
    int found = 0;
    transport().get(*region, target, 0, reinterpret_cast<std::byte*>(&found), shape);
    EXPECT_EQ(found, ((5 + 3) * 4 / 2 - 1) ^ 3);
    barrier();
}

TEST_F(Accumulate, RefusesWhatHasNoMeaning) {
    const auto region = transport().allocate(64);
    const double value = 1;
    EXPECT_THROW(transport().accumulate(*region, 0, 0, reinterpret_cast<const std::byte*>(&value), run_of(8), Reduction::bit_or,
                                        XMP_TYPE_DOUBLE),
                 base::Error);
    barrier();
}

TEST_F(Atomics, EveryTicketIsDrawnOnce) {
    for (const std::size_t bytes : {std::size_t{4}, std::size_t{8}}) {
        const auto region = transport().allocate(64);
        const int draws = size() <= 2 ? 100 : 15;
        std::vector<std::int64_t> mine, all(static_cast<std::size_t>(draws * size()));
        for (int k = 0; k < draws; ++k) mine.push_back(on_last(*region, 16, bytes, Atomic::add, 1));
        synchronise();
        MPI_Allgather(mine.data(), draws, MPI_INT64_T, all.data(), draws, MPI_INT64_T, comm());
        std::sort(all.begin(), all.end());
        for (std::size_t k = 0; k < all.size(); ++k) ASSERT_EQ(all[k], static_cast<std::int64_t>(k));
        barrier();
    }
}

TEST_F(Atomics, OperationsReturnTheValueBefore) {
    for (const std::size_t bytes : {std::size_t{4}, std::size_t{8}}) {
        const auto region = transport().allocate(64 * static_cast<std::size_t>(size()));
        const std::size_t mine = 64 * static_cast<std::size_t>(rank()) + 8;
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::define, -12), 0);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::ref, 99), -12);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::add, 20), -12);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::bit_or, 3), 8);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::bit_and, 6), 11);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::bit_xor, 7), 2);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::compare_and_swap, 50, 4), 5);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::compare_and_swap, -1, 5), 5);
        EXPECT_EQ(on_last(*region, mine, bytes, Atomic::ref, 0), -1);
        EXPECT_EQ(on_last(*region, mine + 8, bytes, Atomic::ref, 0), 0);
        barrier();
    }
}

TEST_F(Atomics, BitsAndSwapsUnderContention) {
    const auto region = transport().allocate(64);
    const std::int64_t bit = std::int64_t{1} << rank();
    on_last(*region, 0, 8, Atomic::bit_or, bit);
    on_last(*region, 8, 8, Atomic::bit_xor, bit);
    const int rounds = size() <= 2 ? 20 : 4;
    for (int k = 0; k < rounds; ++k)  // an own addition
        for (std::int64_t seen = 0, before = 0;
             (before = on_last(*region, 16, 4, Atomic::compare_and_swap, seen + 1, seen)) != seen;)
            seen = before;
    synchronise();
    const auto* const found = reinterpret_cast<const std::int64_t*>(region->local());
    if (rank() == size() - 1) {
        EXPECT_EQ(found[0], (std::int64_t{1} << size()) - 1);
        EXPECT_EQ(found[1], (std::int64_t{1} << size()) - 1);
        EXPECT_EQ(found[2], rounds * size());
    }
    barrier();
}

// What runtime/localview makes of them: swap to take a lock, define to give it back, plain transfers between.
TEST_F(Atomics, ALockProtectsPutAndGet) {
    const auto region = transport().allocate(64);
    const int rounds = size() <= 2 ? 20 : 3;
    for (int k = 0; k < rounds; ++k) {
        while (on_last(*region, 0, 4, Atomic::compare_and_swap, rank() + 1, 0) != 0) transport().poll();
        std::int64_t counter = 0;
        transport().get(*region, size() - 1, 32, reinterpret_cast<std::byte*>(&counter), run_of(sizeof counter));
        ++counter;
        transport().put(*region, size() - 1, 32, reinterpret_cast<const std::byte*>(&counter), run_of(sizeof counter));
        transport().fence();
        EXPECT_EQ(on_last(*region, 0, 4, Atomic::define, 0), rank() + 1);
    }
    synchronise();
    if (rank() == size() - 1) {
        EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(region->local() + 32), rounds * size());
    }
    barrier();
}

}  // namespace
}  // namespace kumihimo::transport
