// What programs see of each other's writes without the sync that MPI asks for (MPI 3.1, 13.6.1): HDF5, PnetCDF and MPICH's
// tests rely on it, and every other library gives it.
#include <numeric>

#include "scratch.hpp"

namespace {

constexpr int fresh = MPI_MODE_CREATE | MPI_MODE_RDWR;

std::vector<int> numbers_of_all(int each) {
    std::vector<int> all(static_cast<std::size_t>(ranks()) * each);
    std::iota(all.begin(), all.end(), 1000);
    return all;
}

// Rank r's part of numbers_of_all.
std::vector<int> mine(int each) {
    const std::vector<int> all = numbers_of_all(each);
    return {all.begin() + rank() * each, all.begin() + (rank() + 1) * each};
}

MPI_Offset my_place(int each) {
    return static_cast<MPI_Offset>(rank()) * each * static_cast<MPI_Offset>(sizeof(int));
}

void expect_all_read_by(int (*read)(MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*), MPI_File file, int each) {
    std::vector<int> found(numbers_of_all(each).size(), -1);
    EXPECT_OK(read(file, 0, found.data(), static_cast<int>(found.size()), MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(found, numbers_of_all(each));
}

TEST(Visibility, IndependentWritesAfterABarrier) {
    const Scratch scratch("independent");
    MPI_File file = scratch.open(fresh);
    for (int number : {0, 1, 2}) {
        const int value = mine(3)[number];
        EXPECT_OK(MPI_File_write_at(file, my_place(3) + number * 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_all_read_by(MPI_File_read_at, file, 3);
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Visibility, CollectiveWritesInTheNextCollectiveRead) {
    const Scratch scratch("collective");
    MPI_File file = scratch.open(fresh);
    for (int repetition = 0; repetition < 3; ++repetition) {  // ranks ask each other less and less often
        EXPECT_OK(MPI_File_write_at_all(file, my_place(5), mine(5).data(), 5, MPI_INT, MPI_STATUS_IGNORE));
        expect_all_read_by(MPI_File_read_at_all, file, 5);
    }
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Visibility, OrderedWritesAfterABarrier) {
    const Scratch scratch("ordered");
    MPI_File file = scratch.open(fresh);
    EXPECT_OK(MPI_File_write_ordered(file, mine(1).data(), 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    expect_all_read_by(MPI_File_read_at, file, 1);
    EXPECT_OK(MPI_File_close(&file));
}

// As PnetCDF fills a variable and then writes it: another rank writes the same place, by another view.
TEST(Visibility, TheLaterOfTwoCollectiveWritesByDifferentViewsWins) {
    const Scratch scratch("views");
    MPI_File file = scratch.open(fresh);
    const std::vector<int> fill(4, -1);
    const MPI_Offset of_next = static_cast<MPI_Offset>((rank() + 1) % ranks()) * 16;
    EXPECT_OK(MPI_File_set_view(file, of_next, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    EXPECT_OK(MPI_File_write_all(file, fill.data(), 4, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_set_view(file, my_place(4), MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    EXPECT_OK(MPI_File_write_all(file, mine(4).data(), 4, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_close(&file));
    Bytes expected(numbers_of_all(4).size() * 4);
    std::memcpy(expected.data(), numbers_of_all(4).data(), expected.size());
    EXPECT_EQ(scratch.bytes(), expected);
}

TEST(Visibility, ASecondHandleOfTheProcess) {
    if (with_engine("catwalk")) GTEST_SKIP() << "each handle has I/O processes of its own; MPI asks for a sync (13.6.1)";
    const Scratch scratch("second");
    MPI_File first = scratch.open(fresh), second = MPI_FILE_NULL;
    EXPECT_OK(MPI_File_write_at_all(first, my_place(2), mine(2).data(), 2, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_open(MPI_COMM_SELF, scratch.name(), MPI_MODE_RDWR, MPI_INFO_NULL, &second));
    std::vector<int> found(2, -1);
    EXPECT_OK(MPI_File_read_at(second, my_place(2), found.data(), 2, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(found, mine(2));
    EXPECT_OK(MPI_File_close(&second));
    EXPECT_OK(MPI_File_close(&first));
}

// PnetCDF's file types: the bounds leave out the header, so that a second copy would overlap the first.
TEST(Views, AFileTypeWhoseCopiesOverlapServesForOneCopy) {
    const Scratch scratch("overlap");
    MPI_File file = scratch.open(fresh);
    const int lengths[] = {8, 4};
    const int places[] = {0, 16};
    MPI_Datatype bytes, bounded;
    MPI_Type_indexed(2, lengths, places, MPI_BYTE, &bytes);
    MPI_Type_create_resized(bytes, 16, 4, &bounded);
    MPI_Type_commit(&bounded);
    EXPECT_OK(MPI_File_set_view(file, 64 * rank(), MPI_BYTE, bounded, "native", MPI_INFO_NULL));
    const Bytes data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    EXPECT_OK(MPI_File_write_all(file, data.data(), 12, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_IO, MPI_File_write_at(file, 0, data.data(), 13, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_close(&file));
    const Bytes found = scratch.bytes();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(64 * (ranks() - 1) + 20));
    EXPECT_TRUE(std::equal(data.begin(), data.begin() + 8, found.begin() + 64 * rank()));
    EXPECT_TRUE(std::equal(data.begin() + 8, data.begin() + 12, found.begin() + 64 * rank() + 16));
    MPI_Type_free(&bounded);
    MPI_Type_free(&bytes);
}

// Programs give get_view less room than MPI_MAX_DATAREP_STRING.
TEST(Views, OnlyTheNameOfARepresentationIsWritten) {
    const Scratch scratch("name");
    MPI_File file = scratch.open(fresh);
    char name[] = "??????\0end";
    MPI_Offset displacement = 0;
    MPI_Datatype etype, filetype;
    EXPECT_OK(MPI_File_get_view(file, &displacement, &etype, &filetype, name));
    EXPECT_STREQ(name, "native");
    EXPECT_STREQ(name + 7, "end");
    EXPECT_OK(MPI_File_close(&file));
}

}  // namespace
