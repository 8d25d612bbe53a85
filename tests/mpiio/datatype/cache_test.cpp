// The cached flattening of a type: made once, of this type only, and gone with it.
#include <gtest/gtest.h>

#include <ctime>
#include <numeric>

#include "mpiio/file/datatype.hpp"
#include "random_types.hpp"

namespace {

using kumihimo::mpiio::extents_of;
using kumihimo::sets::Extents;

// Handles are used again at once: each of these types must find its own bytes.
TEST(Cache, HandlesUsedAgain) {
    for (int i = 1; i < 5'000; ++i) {
        MPI_Datatype type;
        MPI_Type_contiguous(i, MPI_INT, &type);
        ASSERT_EQ(extents_of(type).size(), 4 * i);
        MPI_Type_free(&type);
    }
}

TEST(Cache, CopyOutlivesType) {
    MPI_Datatype type;
    MPI_Type_vector(10, 1, 2, MPI_INT, &type);
    const Extents extents = extents_of(type);
    MPI_Type_free(&type);
    EXPECT_EQ(extents.size(), 40);
    EXPECT_EQ(extents.offset(39), 75);
}

TEST(Cache, DuplicatesAndPartsOutliveEachOther) {
    MPI_Datatype vector, copy, nested;
    MPI_Type_vector(10, 1, 2, MPI_INT, &vector);
    EXPECT_EQ(extents_of(vector).runs(), 10);
    MPI_Type_dup(vector, &copy);
    MPI_Type_contiguous(3, vector, &nested);
    MPI_Type_free(&vector);
    EXPECT_EQ(extents_of(copy).runs(), 10);
    EXPECT_EQ(extents_of(nested).size(), 120);
    MPI_Type_free(&copy);
    MPI_Type_free(&nested);
}

// A type of a million blocks is flattened by the first call: a thousand more take less of the processor than that one.
TEST(Cache, SecondCallIsALookUp) {
    std::vector<int> places(1'000'000);
    std::iota(places.begin(), places.end(), 0);
    for (int& place : places) place = 3 * place + place % 2;
    MPI_Datatype type;
    MPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(), MPI_INT, &type);
    const std::clock_t begin = std::clock();
    ASSERT_EQ(extents_of(type).size(), 4'000'000);
    const std::clock_t first = std::clock();
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(extents_of(type).size(), 4'000'000);
    EXPECT_LT(std::clock() - first, first - begin);
    MPI_Type_free(&type);
}

}  // namespace
