// Transfers beyond 2^31 bytes in one call, at offsets beyond 2^32 (`make test-long`: they take 3 GiB of disk).
#include "tests/mpiio/file/scratch.hpp"
#include "tests/support/long_form.hpp"

TEST(Large, MoreThan31BitsInOneCall) {
    if (!kumihimo::support::long_form()) GTEST_SKIP() << "3 GiB of disk: part of make test-long";
    if (ranks() > 2) GTEST_SKIP() << "one or two ranks show what there is to see";
    const Scratch scratch("large");
    MPI_File file = scratch.open(create_and_write);
    // The same MiB of memory again and again.
    constexpr int row = 1 << 20, rows = 3072;
    constexpr MPI_Offset bytes = MPI_Offset{rows} * row, start = MPI_Offset{1} << 33;
    MPI_Datatype type;
    MPI_Type_create_hvector(rows, row, 0, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    Bytes memory(row);
    for (int i = 0; i < row; ++i) memory[i] = static_cast<unsigned char>(i * 31 + rank());
    MPI_Status status;
    if (rank() == 0) {
        EXPECT_OK(MPI_File_write_at(file, start, memory.data(), 1, type, &status));
        EXPECT_EQ(1, count_of(status, type));
        MPI_Count elements = 0;
        MPI_Get_elements_x(&status, MPI_BYTE, &elements);
        EXPECT_EQ(bytes, elements);
        EXPECT_EQ(MPI_UNDEFINED, count_of(status, MPI_BYTE));  // more than an int holds
    }
    EXPECT_OK(MPI_File_sync(file));
    MPI_Offset size = 0;
    EXPECT_OK(MPI_File_get_size(file, &size));
    EXPECT_EQ(start + bytes, size);
    Bytes back(row);
    EXPECT_OK(MPI_File_read_at_all(file, start + bytes - row, back.data(), row, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < row; ++i) memory[i] = static_cast<unsigned char>(i * 31);  // rank 0's
    EXPECT_TRUE(memory == back);
    MPI_Type_free(&type);
    EXPECT_OK(MPI_File_close(&file));
}
