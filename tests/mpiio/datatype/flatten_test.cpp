// What flattening says of random nested types must be what MPI_Pack does with them, and the bounds MPI's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/datatype.hpp"
#include "describe.hpp"
#include "mpiio/file/datatype.hpp"
#include "random_types.hpp"
#include "tests/support/random.hpp"

namespace {

using kumihimo::mpiio::extents_of;
using kumihimo::sets::Blocks;
using kumihimo::sets::Extents;
using kumihimo::sets::Index;
using random_types::Generator;
using random_types::Type;

// Memory that holds the bytes [lower, upper) of a type: random, made once.
class Image {
public:
    Image(Index lower, Index upper) : lower_(lower) {
        static std::mt19937_64 random(7);
        while (std::ssize(bytes_) < upper - lower) bytes_.push_back(static_cast<std::byte>(random()));
    }
    const std::byte* at(Index offset) const { return bytes_.data() + (offset - lower_); }

private:
    static inline std::vector<std::byte> bytes_;
    Index lower_;
};

std::vector<std::byte> packed_by_mpi(const Image& image, MPI_Datatype type, Index size) {
    std::vector<std::byte> stream(static_cast<std::size_t>(size) + 64);
    int position = 0;
    MPI_Pack(image.at(0), 1, type, stream.data(), static_cast<int>(stream.size()), &position, MPI_COMM_SELF);
    stream.resize(static_cast<std::size_t>(position));
    return stream;
}

std::vector<std::byte> packed_by_extents(const Image& image, const Extents& extents) {
    std::vector<std::byte> stream;
    extents.for_each(0, extents.size(), [&](const Blocks& b) {
        for (Index i = 0; i < b.count; ++i) {
            const std::byte* const block = image.at(b.offset + i * b.stride);
            stream.insert(stream.end(), block, block + b.length);
        }
    });
    return stream;
}

void check(MPI_Datatype type, bool plain) {
    const Extents extents = extents_of(type);
    MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lower, &extent);
    MPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
    ASSERT_EQ(extents.size(), size);
    if (size == 0) return;  // MPICH 4.0 cannot pack some of these; Open MPI 4.1 has no sensible bounds for some
    ASSERT_EQ(extents.lower(), lower);
    ASSERT_EQ(extents.extent(), extent);
    // MPICH 4.0 counts empty parts of a structure, Open MPI 4.1 forgets what lies before the first element of negative strides.
    if (plain) {
        ASSERT_EQ(extents.true_lower(), true_lower);
        ASSERT_EQ(extents.true_upper(), true_lower + true_extent);
    }
    if (extents.true_upper() - extents.true_lower() > (Index{1} << 24)) return;
    const Image image(std::min<Index>(extents.true_lower(), 0), std::max<Index>(extents.true_upper(), 0));
    ASSERT_EQ(packed_by_extents(image, extents), packed_by_mpi(image, type, size));
}

void check_random_types(bool plain) {
    Generator generator(kumihimo::support::seed_of_run(), plain);
    Index bytes = 0;
    for (int round = 0; round < 60'000; ++round) {
        const Type type = generator.make(generator.between(0, 4));
        MPI_Datatype handle = type;
        MPI_Type_commit(&handle);
        ASSERT_NO_FATAL_FAILURE(check(type, plain)) << "round " << round << ": " << describe(type);
        bytes += extents_of(type).size();
    }
    EXPECT_GT(bytes, 5'000'000);
}

TEST(Flatten, RandomTypesAgainstPack) {
    check_random_types(false);
}

TEST(Flatten, RandomPlainTypesAgainstPackAndTrueBounds) {
    check_random_types(true);
}

TEST(Flatten, NamedTypes) {
    for (const MPI_Datatype type :
         {MPI_CHAR, MPI_BYTE, MPI_PACKED, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_WCHAR, MPI_C_BOOL, MPI_AINT, MPI_2INT,
          MPI_SHORT_INT, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_LONG_DOUBLE_INT})
        ASSERT_NO_FATAL_FAILURE(check(type, true));
    MPI_Datatype real, complex, integer;
    MPI_Type_create_f90_real(12, 200, &real);
    MPI_Type_create_f90_complex(6, 30, &complex);
    MPI_Type_create_f90_integer(9, &integer);
    for (const MPI_Datatype type : {real, complex, integer}) {
        ASSERT_NO_FATAL_FAILURE(check(type, true));
        MPI_Datatype vector;
        MPI_Type_vector(3, 2, 4, type, &vector);
        MPI_Type_commit(&vector);
        ASSERT_NO_FATAL_FAILURE(check(vector, true));
        MPI_Type_free(&vector);
    }
}

// What must stay one node however many blocks there are.
TEST(Flatten, RegularTypesStayCompressed) {
    const auto nests = [](MPI_Datatype type) {
        Index count = 0;
        const Extents extents = extents_of(type);
        extents.for_each_nest(0, extents.size(), [&](const auto&) { ++count; });
        return count;
    };
    MPI_Datatype vector, subarray, darray;
    MPI_Type_vector(100'000'000, 1, 4, MPI_INT, &vector);
    EXPECT_EQ(nests(vector), 1);
    EXPECT_EQ(extents_of(vector).runs(), 100'000'000);
    const int sizes[] = {200, 200, 200, 200}, subsizes[] = {100, 100, 100, 100}, starts[] = {50, 50, 50, 50};
    MPI_Type_create_subarray(4, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &subarray);
    EXPECT_EQ(nests(subarray), 1);
    const int global[] = {10'000, 10'000}, processes[] = {2, 3}, arguments[] = {3, 7};
    const int kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
    MPI_Type_create_darray(6, 4, 2, global, kinds, arguments, processes, MPI_ORDER_C, MPI_DOUBLE, &darray);
    // Rows come in whole blocks of three and a cut one, columns in whole blocks of seven and a cut one.
    EXPECT_LE(nests(darray), 4 * 10'000);
    EXPECT_GT(extents_of(darray).runs(), 2'000'000);
    for (MPI_Datatype* const type : {&vector, &subarray, &darray}) MPI_Type_free(type);
}

// Open MPI's vectors do not know a stride of -1 byte.
TEST(Made, BytesBackwardsAreInThatOrder) {
    using kumihimo::base::Datatype;
    for (const Index count : {1, 2, 3, 6, 7}) {
        const Image image(1 - count, 1);
        const Datatype type = Datatype::row(MPI_SIGNED_CHAR, 1).repeated(count, -1).committed();
        std::vector<std::byte> expected;
        for (Index i = 0; i < count; ++i) expected.push_back(*image.at(-i));
        EXPECT_EQ(packed_by_mpi(image, type, count), expected) << count;
        EXPECT_EQ(packed_by_extents(image, extents_of(type)), expected) << count;
    }
}

}  // namespace
