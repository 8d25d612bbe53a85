// Types made with large counts (MPI 4.0) must select what the same types made with plain ones do, and exceed 2^31 where those
// cannot.
#include <gtest/gtest.h>

#include "mpiio/file/datatype.hpp"

namespace {

#if MPI_VERSION >= 4

using kumihimo::mpiio::extents_of;
using kumihimo::sets::Blocks;
using kumihimo::sets::Extents;
using kumihimo::sets::Index;

std::vector<Index> bytes_of(MPI_Datatype type) {
    std::vector<Index> bytes;
    const Extents extents = extents_of(type);
    extents.for_each(0, extents.size(), [&](const Blocks& b) {
        for (Index i = 0; i < b.count; ++i)
            for (Index j = 0; j < b.length; ++j) bytes.push_back(b.offset + i * b.stride + j);
    });
    bytes.push_back(extents.lower());
    bytes.push_back(extents.extent());
    return bytes;
}

void same(MPI_Datatype large, MPI_Datatype plain) {
    EXPECT_EQ(bytes_of(large), bytes_of(plain));
    EXPECT_GT(bytes_of(plain).size(), 2u);
    MPI_Type_free(&large);
    MPI_Type_free(&plain);
}

TEST(LargeCounts, SameAsPlain) {
    const MPI_Count many[] = {2, 0, 3}, far[] = {9, 40, 2};
    const int many_plain[] = {2, 0, 3}, far_plain[] = {9, 40, 2};
    const MPI_Aint addresses[] = {9, 40, 2};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT_INT};
    MPI_Datatype large, plain;
    MPI_Type_contiguous_c(7, MPI_SHORT_INT, &large);
    MPI_Type_contiguous(7, MPI_SHORT_INT, &plain);
    same(large, plain);
    MPI_Type_vector_c(3, 2, 5, MPI_INT, &large);
    MPI_Type_vector(3, 2, 5, MPI_INT, &plain);
    same(large, plain);
    MPI_Type_create_hvector_c(3, 2, 50, MPI_INT, &large);
    MPI_Type_create_hvector(3, 2, 50, MPI_INT, &plain);
    same(large, plain);
    MPI_Type_indexed_c(3, many, far, MPI_INT, &large);
    MPI_Type_indexed(3, many_plain, far_plain, MPI_INT, &plain);
    same(large, plain);
    MPI_Type_create_hindexed_c(3, many, far, MPI_INT, &large);
    MPI_Type_create_hindexed(3, many_plain, addresses, MPI_INT, &plain);
    same(large, plain);
    MPI_Type_create_indexed_block_c(3, 2, far, MPI_INT, &large);
    MPI_Type_create_indexed_block(3, 2, far_plain, MPI_INT, &plain);
    same(large, plain);
    MPI_Type_create_hindexed_block_c(3, 2, far, MPI_INT, &large);
    MPI_Type_create_hindexed_block(3, 2, addresses, MPI_INT, &plain);
    same(large, plain);
    MPI_Type_create_struct_c(3, many, far, types, &large);
    MPI_Type_create_struct(3, many_plain, addresses, types, &plain);
    same(large, plain);
    MPI_Type_create_resized_c(MPI_INT, -4, 17, &large);
    MPI_Type_create_resized(MPI_INT, -4, 17, &plain);
    same(large, plain);
}

TEST(LargeCounts, ArraysSameAsPlain) {
    const MPI_Count sizes[] = {5, 7}, subsizes[] = {3, 4}, starts[] = {1, 2};
    const int sizes_plain[] = {5, 7}, subsizes_plain[] = {3, 4}, starts_plain[] = {1, 2};
    const int kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, processes[] = {2, 3};
    const int arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        MPI_Datatype large, plain;
        MPI_Type_create_subarray_c(2, sizes, subsizes, starts, order, MPI_DOUBLE, &large);
        MPI_Type_create_subarray(2, sizes_plain, subsizes_plain, starts_plain, order, MPI_DOUBLE, &plain);
        same(large, plain);
        MPI_Type_create_darray_c(6, 4, 2, sizes, kinds, arguments, processes, order, MPI_DOUBLE, &large);
        MPI_Type_create_darray(6, 4, 2, sizes_plain, kinds, arguments, processes, order, MPI_DOUBLE, &plain);
        same(large, plain);
    }
}

TEST(LargeCounts, BeyondPlain) {
    const MPI_Count many = MPI_Count{1} << 33;
    MPI_Datatype numbers, columns;
    MPI_Type_contiguous_c(many, MPI_INT, &numbers);
    MPI_Type_vector_c(many, 1, 3, MPI_INT, &columns);
    EXPECT_EQ(extents_of(numbers).size(), 4 * many);
    EXPECT_TRUE(extents_of(numbers).contiguous());
    EXPECT_EQ(extents_of(columns).runs(), many);
    EXPECT_EQ(extents_of(columns).offset(4 * many - 1), 12 * (many - 1) + 3);
    MPI_Type_free(&numbers);
    MPI_Type_free(&columns);
}

#else

TEST(LargeCounts, NeedMpi4) {
    GTEST_SKIP() << "this MPI has no large counts";
}

#endif

}  // namespace
