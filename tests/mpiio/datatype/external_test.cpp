// external32: basic types against bytes written by hand from the standard's table, nested ones against MPI_Pack_external, and
// back.
#include "mpiio/file/external.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>

#include "base/family.hpp"
#include "describe.hpp"
#include "mpiio/file/datatype.hpp"
#include "random_types.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace kumihimo::mpiio;
using random_types::Generator;
using random_types::Type;

using Bytes = std::vector<std::byte>;

Bytes packed(const void* from, MPI_Count count, MPI_Datatype type) {
    Bytes bytes(static_cast<std::size_t>(count * external_size(type)));
    EXPECT_TRUE(pack_external(from, count, type, bytes.data()));
    return bytes;
}

template <typename Value>
void check(MPI_Datatype type, const Value& value, std::initializer_list<unsigned> expected) {
    Bytes bytes;
    for (const unsigned each : expected) bytes.push_back(static_cast<std::byte>(each));
    ASSERT_EQ(external_size(type), std::ssize(bytes));
    ASSERT_EQ(packed(&value, 1, type), bytes);
    Value back{};
    ASSERT_EQ(unpack_external(bytes.data(), std::ssize(bytes), 1, type, &back), extents_of(type).size());
    ASSERT_EQ(packed(&back, 1, type), bytes);
}

TEST(External, BasicTypesAgainstTheTable) {
    check(MPI_CHAR, 'a', {0x61});
    check(MPI_SHORT, short{0x0102}, {1, 2});
    check(MPI_INT, -2, {0xff, 0xff, 0xff, 0xfe});
    check(MPI_LONG, -2L, {0xff, 0xff, 0xff, 0xfe});
    check(MPI_UNSIGNED_LONG, 0x80000001UL, {0x80, 0, 0, 1});
    check(MPI_LONG_LONG, 0x0102030405060708LL, {1, 2, 3, 4, 5, 6, 7, 8});
    check(MPI_FLOAT, 1.0F, {0x3f, 0x80, 0, 0});
    check(MPI_DOUBLE, -2.0, {0xc0, 0, 0, 0, 0, 0, 0, 0});
    check(MPI_WCHAR, L'A', {0, 0x41});
    check(MPI_C_BOOL, true, {1});
    check(MPI_OFFSET, MPI_Offset{5}, {0, 0, 0, 0, 0, 0, 0, 5});
    check(MPI_C_FLOAT_COMPLEX, std::array{1.0F, 2.0F}, {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0});
    check(MPI_LONG_DOUBLE, 1.5L, {0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    check(MPI_LONG_DOUBLE, -0.1L, {0xbf, 0xfb, 0x99, 0x99, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a, 0, 0, 0, 0, 0, 0});
    struct Pair {
        long value;
        int index;
    };
    check(MPI_LONG_INT, Pair{-1, 2}, {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2});
}

TEST(External, LongDoubleThereAndBack) {
    using Limits = std::numeric_limits<long double>;
    for (const long double value : {0.0L, -0.0L, 1.0L, -1.0L / 3, Limits::max(), Limits::min(), Limits::denorm_min(),
                                    Limits::infinity(), -Limits::infinity(), 1.0L + Limits::epsilon()}) {
        const Bytes bytes = packed(&value, 1, MPI_LONG_DOUBLE);
        long double back = 7;
        unpack_external(bytes.data(), 16, 1, MPI_LONG_DOUBLE, &back);
        EXPECT_EQ(back, value);
        EXPECT_EQ(std::signbit(back), std::signbit(value));
    }
    const long double none = Limits::quiet_NaN();
    long double back = 7;
    unpack_external(packed(&none, 1, MPI_LONG_DOUBLE).data(), 16, 1, MPI_LONG_DOUBLE, &back);
    EXPECT_TRUE(std::isnan(back));
}

TEST(External, ValuesThatDoNotFitAreReported) {
    for (const long value : {1L << 31, -(1L << 31) - 1}) {
        std::byte bytes[4];
        EXPECT_FALSE(pack_external(&value, 1, MPI_LONG, bytes));
    }
    for (const long value : {(1L << 31) - 1, -(1L << 31)}) packed(&value, 1, MPI_LONG);
}

// Many more values than a portion, and a file that ends within.
TEST(External, ManyValuesAndShortFiles) {
    MPI_Datatype every_second, structure;
    MPI_Type_vector(100'000, 1, 2, MPI_INT, &every_second);
    std::vector<int> values(200'000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
    const Bytes bytes = packed(values.data(), 1, every_second);
    ASSERT_EQ(bytes.size(), 400'000u);
    ASSERT_EQ(bytes[4 * 70'000 + 3], static_cast<std::byte>(140'000 & 255));
    std::vector<int> back(values.size(), -1);
    EXPECT_EQ(unpack_external(bytes.data(), 300'002, 1, every_second, back.data()), 300'000);
    EXPECT_EQ(back[149'998], 149'998);
    EXPECT_EQ(back[149'999], -1);
    EXPECT_EQ(back[150'000], -1);
    EXPECT_EQ(native_bytes(300'002, every_second), 300'000);

    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype types[] = {MPI_LONG, MPI_SHORT};
    MPI_Type_create_struct(2, lengths, places, types, &structure);
    EXPECT_EQ(external_size(structure), 8);
    EXPECT_EQ(native_bytes(8 * 10 + 6, structure), 12 * 10 + 10);
    EXPECT_EQ(native_bytes(3, structure), 0);
    MPI_Type_free(&every_second);
    MPI_Type_free(&structure);
}

std::vector<Index> places(const kumihimo::sets::Extents& extents) {
    std::vector<Index> result{extents.lower(), extents.upper()};
    for (Index i = 0; i < extents.size(); ++i) result.push_back(extents.offset(i));
    return result;
}

// A file type of long values lies in the file as one of int does, since long has 4 bytes there.
void check_as_of_int(const std::function<void(MPI_Datatype, MPI_Datatype*)>& make) {
    MPI_Datatype of_long, of_int;
    make(MPI_LONG, &of_long);
    make(MPI_INT, &of_int);
    EXPECT_EQ(places(external_extents_of(of_long)), places(extents_of(of_int)));
    EXPECT_EQ(places(external_extents_of(of_int)), places(extents_of(of_int)));
    MPI_Type_free(&of_long);
    MPI_Type_free(&of_int);
}

TEST(External, PlacesInTheFile) {
    check_as_of_int([](MPI_Datatype old, MPI_Datatype* type) { MPI_Type_contiguous(5, old, type); });
    check_as_of_int([](MPI_Datatype old, MPI_Datatype* type) { MPI_Type_vector(3, 2, 5, old, type); });
    check_as_of_int([](MPI_Datatype old, MPI_Datatype* type) { MPI_Type_create_hvector(3, 2, 50, old, type); });
    check_as_of_int([](MPI_Datatype old, MPI_Datatype* type) { MPI_Type_create_resized(old, 0, 12, type); });
    check_as_of_int([](MPI_Datatype old, MPI_Datatype* type) {
        const int lengths[] = {2, 1, 3}, at[] = {4, 0, 9};
        MPI_Type_indexed(3, lengths, at, old, type);
    });
    check_as_of_int([](MPI_Datatype old, MPI_Datatype* type) {
        const int sizes[] = {5, 6, 7}, subsizes[] = {2, 3, 4}, starts[] = {1, 2, 3};
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, old, type);
    });
    check_as_of_int([](MPI_Datatype old, MPI_Datatype* type) {
        const int sizes[] = {11, 7}, kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, processes[] = {2, 3};
        const int arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
        MPI_Type_create_darray(6, 4, 2, sizes, kinds, arguments, processes, MPI_ORDER_C, old, type);
    });
}

class RandomExternal : public testing::Test {
protected:
    // A random type of these basic ones, and random memory for it; nothing if it is empty or very large.
    struct Sample {
        Type type;
        Bytes memory;
    };
    Sample sample(Generator& generator) {
        Sample result{generator.make(generator.between(0, 3)), {}};
        MPI_Datatype handle = result.type;
        MPI_Type_commit(&handle);
        const kumihimo::sets::Extents extents = extents_of(handle);
        if (extents.size() == 0 || extents.true_upper() > 1 << 20 || extents.true_lower() < 0) return result;
        result.memory.resize(static_cast<std::size_t>(extents.true_upper()));
        for (std::byte& b : result.memory) b = static_cast<std::byte>(generator.engine()());
        return result;
    }

    const std::uint64_t seed_ = kumihimo::support::seed_of_run();
};

// What overlaps overwrites itself; everything else comes back.
void check_way_back(MPI_Datatype type, const Bytes& external, std::size_t room) {
    Bytes back(room), again(external.size());
    ASSERT_EQ(unpack_external(external.data(), std::ssize(external), 1, type, back.data()), extents_of(type).size());
    if (!extents_of(type).ascending()) return;
    ASSERT_TRUE(pack_external(back.data(), 1, type, again.data()));
    ASSERT_TRUE(again == external);
}

// Types of one kind of numbers: what MPI_Pack makes, each number reversed, of long values the lower half.
TEST_F(RandomExternal, NumbersOfOneKind) {
    const struct {
        MPI_Datatype type;
        std::size_t native, external;
    } kinds[] = {{MPI_SHORT, 2, 2},     {MPI_INT, 4, 4},    {MPI_FLOAT, 4, 4},           {MPI_LONG, 8, 4},
                 {MPI_LONG_LONG, 8, 8}, {MPI_DOUBLE, 8, 8}, {MPI_C_DOUBLE_COMPLEX, 8, 8}};
    for (const auto& kind : kinds) {
        Generator generator(seed_, true);
        generator.use({kind.type});
        for (int round = 0; round < 3'000; ++round) {
            const Sample s = sample(generator);
            if (s.memory.empty()) continue;
            Bytes native(static_cast<std::size_t>(extents_of(s.type).size())), expected;
            int position = 0;
            MPI_Pack(s.memory.data(), 1, s.type, native.data(), static_cast<int>(native.size()), &position, MPI_COMM_SELF);
            for (std::size_t number = 0; number < native.size(); number += kind.native)
                for (std::size_t i = kind.external; i-- > 0;) expected.push_back(native[number + i]);
            Bytes ours(static_cast<std::size_t>(external_size(s.type)));
            pack_external(s.memory.data(), 1, s.type, ours.data());
            ASSERT_TRUE(ours == expected) << "round " << round << ": " << describe(s.type);
            ASSERT_NO_FATAL_FAILURE(check_way_back(s.type, ours, s.memory.size())) << describe(s.type);
        }
    }
}

// Types of several kinds, as MPI packs them.
TEST_F(RandomExternal, SeveralKindsAgainstMpi) {
    if (kumihimo::base::family_name() == std::string("mpich"))
        GTEST_SKIP() << "MPICH 4.0 ends the program in MPI_Pack_external";
    Generator generator(seed_, true);
    for (int round = 0; round < 20'000; ++round) {
        const Sample s = sample(generator);
        if (s.memory.empty()) continue;
        Bytes ours(static_cast<std::size_t>(external_size(s.type))), theirs(2 * s.memory.size() + 2 * ours.size());
        pack_external(s.memory.data(), 1, s.type, ours.data());
        MPI_Aint position = 0;
        MPI_Pack_external("external32", s.memory.data(), 1, s.type, theirs.data(), static_cast<MPI_Aint>(theirs.size()),
                          &position);
        theirs.resize(static_cast<std::size_t>(position));
        ASSERT_TRUE(ours == theirs) << "round " << round << ": " << describe(s.type);
        ASSERT_NO_FATAL_FAILURE(check_way_back(s.type, ours, s.memory.size())) << describe(s.type);
    }
}

}  // namespace
