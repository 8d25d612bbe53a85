// What the engine catwalk promises beyond the contract of all engines.
#include <algorithm>

#include "contract.hpp"

namespace kumihimo::mpiio {
namespace {

constexpr int fresh = MPI_MODE_CREATE | MPI_MODE_RDWR;

class Catwalk : public testing::Test {
protected:
    void SetUp() override {
        if (!engine_is("catwalk")) GTEST_SKIP() << "of another engine";
    }
};

// Nodes that are never more than there are ranks, and servers never more than nodes.
TEST_F(Catwalk, HintsAreThoseOfRankZero) {
    Directory directory;
    Opened file(directory.file("data"), fresh,
                {{"kumihimo_catwalk_data_max", std::to_string(4096 << rank())},
                 {"kumihimo_catwalk_servers", "1000"},
                 {"kumihimo_io_nodes", "2"},
                 {"unheard", "of"}});
    ASSERT_TRUE(file.is_open()) << file.why();
    const Hints hints = file->hints();
    EXPECT_EQ(hints.at("kumihimo_catwalk_data_max"), "4096");
    EXPECT_EQ(hints.at("kumihimo_catwalk_servers"), std::to_string(std::min(ranks(), 2)));
    EXPECT_EQ(hints.count("unheard"), 0u);
}

// Nobody has written the bytes before: they are a hole.
TEST_F(Catwalk, ReadsAHoleBeforeItsOwnWriteAsZeros) {
    for (const Hints& hints : ways()) {
        Directory directory;
        Opened file(directory.file("data"), fresh, hints);
        ASSERT_TRUE(file.is_open()) << file.why();
        const Index begin = 100000 * rank();
        expect_moved(file.write(begin + 30000, filled(50, rank())), 50);
        Bytes found(30050, std::byte{1}), expected(30000);
        const Bytes data = filled(50, rank());
        expected.insert(expected.end(), data.begin(), data.end());
        expect_moved(file.read(begin, found), 30050);
        const auto [different, right] = std::mismatch(found.begin(), found.end(), expected.begin());
        EXPECT_EQ(different - found.begin(), 30050) << testing::PrintToString(hints);
    }
}

// Programs fill a variable and write it then, without a sync between; every library lets them.
TEST_F(Catwalk, ShowsCollectiveWritesToCollectiveReadsAndAtFlush) {
    for (const Hints& hints : ways()) {
        Directory directory;
        Opened file(directory.file("data"), fresh, hints);
        ASSERT_TRUE(file.is_open()) << file.why();
        const int next = (rank() + 1) % ranks();
        expect_moved(file.write_all(1000 * rank(), filled(1000, rank())), 1000);
        Bytes found(1000);
        expect_moved(file.read_all(1000 * next, found), 1000);
        EXPECT_EQ(found == filled(1000, next), true);
        expect_moved(file.write_all(1000 * next, filled(1000, 77)), 1000);
        expect_well(file->flush());
        expect_moved(file.write_all(1000 * rank(), filled(1000, rank() + 5)), 1000);
        expect_well(file->sync());
        expect_moved(file.read(1000 * next, found), 1000);
        EXPECT_EQ(found == filled(1000, next + 5), true) << "the later write of another rank, behind a flush, wins";
    }
}

// The servers wrote every byte once, and the ranks together tell of it.
void expect_counted(Opened& file, Index bytes) {
    const Counters mine = file->counters();
    Index written = 0;
    MPI_Allreduce(&mine.bytes_written, &written, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(written, bytes);
    if (rank() > 0) return;
    Details details = file->details();
    file->conclude(details);
    for (const char* const name : {"records in", "records out", "measured bytes per s", "predicted bytes per s"}) {
        const auto found =
            std::find_if(details.begin(), details.end(), [&](const auto& detail) { return detail.first == name; });
        ASSERT_NE(found, details.end()) << name;
        EXPECT_GT(found->second, 0) << name;
    }
}

// Far more than rings and buffers hold, so that ranks wait for room and records overflow.
TEST_F(Catwalk, MovesMoreThanItsBuffersHold) {
    const Index block = 1000, blocks = 3000;
    for (const Hints& hints : ways()) {
        Directory directory;
        const std::string path = directory.file("data");
        Bytes expected;
        {
            Opened file(path, fresh, hints);
            ASSERT_TRUE(file.is_open()) << file.why();
            for (Index i = blocks; i-- > 0;)
                expect_moved(file.write((i * ranks() + rank()) * block, filled(block, static_cast<int>(i))), block);
            expect_well(file->sync());
            expect_counted(file, blocks * block * ranks());
            expect_well(file.close());
        }
        for (Index i = 0; i < blocks * ranks(); ++i) {
            const Bytes part = filled(block, static_cast<int>(i / ranks()));
            expected.insert(expected.end(), part.begin(), part.end());
        }
        EXPECT_EQ(contents(path) == expected, true);
        EXPECT_EQ(directory.entries(), 1u) << "something is left beside the file";
        barrier();
    }
}

TEST_F(Catwalk, TellsAFullDeviceUntilClose) {
    Opened file("/dev/full", MPI_MODE_RDWR);
    ASSERT_TRUE(file.is_open()) << file.why();
    if (rank() == ranks() - 1) (void)file.write(0, filled(100, 1));
    for (const auto& failure : {file->sync(), file->sync(), file.close()}) {
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->code, MPI_ERR_NO_SPACE);
        EXPECT_NE(failure->text.find("/dev/full"), std::string::npos) << failure->text;
    }
}

TEST_F(Catwalk, RefusesAnIncompleteFileUnlessToldToAcceptIt) {
    Directory directory;
    const std::string path = directory.file("data"), marker = directory.file(".data.kumihimo-incomplete-0");
    if (rank() == 0) std::ofstream(path) << "half", std::ofstream(marker) << "";
    barrier();
    {
        const Opened refused(path, MPI_MODE_RDWR);
        ASSERT_FALSE(refused.is_open());
        EXPECT_NE(refused.failure()->text.find("kumihimo files recover"), std::string::npos) << refused.failure()->text;
        EXPECT_TRUE(same_everywhere(refused.failure()->code));
    }
    {
        Opened accepted(path, MPI_MODE_RDWR, {{"kumihimo_catwalk_incomplete", "accept"}});
        ASSERT_TRUE(accepted.is_open());
        Bytes found(4);
        expect_moved(accepted.read(0, found), 4);
    }
    barrier();
    if (rank() == 0) {
        std::ofstream(marker) << "";
        expect_well(engine().remove(path));
    }
    barrier();
    EXPECT_EQ(directory.entries(), 0u);
    barrier();
}

}  // namespace
}  // namespace kumihimo::mpiio
