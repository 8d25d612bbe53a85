// What ranks share while a file is open: the shared pointer, by memory and by a file, and whole transfers in atomic mode.
#include <algorithm>

#include "contract.hpp"

namespace kumihimo::mpiio {
namespace {

void use_pointer(Opened& file) {
    constexpr int times = 20;
    std::vector<Index> mine(times), all(static_cast<std::size_t>(times * ranks()));
    for (Index& before : mine) expect_well(file->add_to_shared(3, before));
    MPI_Allgather(mine.data(), times, MPI_INT64_T, all.data(), times, MPI_INT64_T, MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<Index>(3 * i));
    barrier();
    if (rank() == 0) expect_well(file->set_shared(1000));
    barrier();
    Index before = 0;
    expect_well(file->add_to_shared(0, before));
    EXPECT_EQ(before, 1000);
    barrier();
}

class SharedPointer : public testing::TestWithParam<const char*> {};

TEST_P(SharedPointer, GivesEveryRankARangeOfItsOwn) {
    const Setting sharing("KUMIHIMO_SHM", GetParam());
    Directory directory;
    for (int opening = 0; opening < 2; ++opening) {  // a new file begins at 0 again
        Opened file(directory.file("data"), fresh);
        ASSERT_TRUE(file.is_open()) << file.why();
        use_pointer(file);
    }
    barrier();
    EXPECT_EQ(directory.entries(), 1u) << "a file beside the data is still there";
    barrier();
}

TEST_P(SharedPointer, OfAFileWithTheLongestName) {
    const Setting sharing("KUMIHIMO_SHM", GetParam());
    Directory directory;
    Opened file(directory.file(std::string(255, 'n')), fresh);
    ASSERT_TRUE(file.is_open()) << file.why();
    use_pointer(file);
}

INSTANTIATE_TEST_SUITE_P(Ways, SharedPointer, testing::Values("auto", "posix", "off"));

// Every rank writes the same places, all of them its number; a reader must never see two numbers.
void write_and_read(Opened& file, const View& view, Index bytes, int rounds) {
    Bytes data(static_cast<std::size_t>(bytes), static_cast<std::byte>(rank() + 1)), found(data.size());
    const Memory out = row(data), in = row(found);
    for (int round = 0; round < rounds; ++round) {
        expect_moved(file->write({view, 0, bytes, out}), bytes);
        expect_moved(file->read({view, 0, bytes, in}), bytes);
        EXPECT_EQ(std::count(found.begin(), found.end(), found[0]), bytes) << "torn";
    }
}

TEST(AtomicMode, KeepsTransfersWhole) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    expect_well(file->set_atomic(true));
    write_and_read(file, View{}, 200000, 20);
    barrier();
    write_and_read(file, {100, sets::Extents::contiguous(50), 100}, 20000, 5);
    barrier();
    expect_well(file->set_atomic(false));
}

TEST(AtomicMode, ShowsWritesToOthersWithoutSync) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    expect_well(file->set_atomic(true));
    expect_moved(file.write(10 * rank(), filled(10, rank())), 10);
    barrier();
    const int next = (rank() + 1) % ranks();
    Bytes found(10);
    expect_moved(file.read(10 * next, found), 10);
    EXPECT_EQ(found == filled(10, next), true);
}

}  // namespace
}  // namespace kumihimo::mpiio
