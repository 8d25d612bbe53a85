// What the engine catwalk promises beyond the contract of all engines.
#include <algorithm>

#include "contract.hpp"

namespace kumihimo::mpiio {
namespace {

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
                 {"kumihimo_catwalk_hosts", "2"},
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
void expect_counted(Opened& file, Index bytes, bool past) {
    const Counters mine = file->counters();
    Index written = 0;
    MPI_Allreduce(&mine.bytes_written, &written, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(written, bytes);
    if (rank() > 0) return;
    Details details = file->details();
    file->conclude(details);
    const auto of = [&](const char* name) {
        const auto found =
            std::find_if(details.begin(), details.end(), [&](const auto& detail) { return detail.first == name; });
        EXPECT_NE(found, details.end()) << name;
        return found == details.end() ? 0 : found->second;
    };
    EXPECT_GT(of("measured bytes per s"), 0);
    EXPECT_GT(of("predicted bytes per s"), 0);
    for (const char* const name : past ? std::vector{"writes past it"} : std::vector{"records in", "records out"})
        EXPECT_GT(of(name), 0) << name;
}

// Far more than rings and buffers hold, so that ranks wait for room and records overflow.
TEST_F(Catwalk, MovesMoreThanItsBuffersHold) {
    const Index block = 1000, blocks = 6000 / ranks();
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
            expect_counted(file, blocks * block * ranks(), hints.contains("kumihimo_catwalk_direct_from"));
            expect_well(file.close());
        }
        for (Index i = 0; rank() == 0 && i < blocks * ranks(); ++i) {
            const Bytes part = filled(block, static_cast<int>(i / ranks()));
            expected.insert(expected.end(), part.begin(), part.end());
        }
        EXPECT_TRUE(rank() > 0 || contents(path) == expected);
        EXPECT_EQ(directory.entries(), 1u) << "something is left beside the file";
        barrier();
    }
}

// What a rank wrote before lies in its ring, what others wrote in the buffers: a long piece over it must not come first.
TEST_F(Catwalk, LongPiecesComeBehindWhatTheyOverwrite) {
    for (const int nodes : {1, 2}) {
        Directory directory;
        Opened file(directory.file("data"), fresh,
                    {{"kumihimo_catwalk_direct_from", "1000"}, {"kumihimo_catwalk_hosts", std::to_string(nodes)}});
        ASSERT_TRUE(file.is_open()) << file.why();
        const Index begin = 5000 * rank(), next = 5000 * ((rank() + 1) % ranks());
        expect_moved(file.write(begin + 100, filled(200, 1)), 200);
        expect_moved(file.write(begin, filled(2000, 2)), 2000);  // over a short one of its own
        expect_moved(file.write(begin + 50, filled(100, 3)), 100);
        expect_moved(file.write_all(begin + 3000, filled(300, 4)), 300);
        expect_well(file->flush());
        expect_moved(file.write_all(next + 2500, filled(1500, 5)), 1500);  // over another rank's
        expect_well(file->sync());
        Bytes expected = filled(4000, 2), found(4000);
        const Bytes third = filled(100, 3), fifth = filled(1500, 5);
        std::fill(expected.begin() + 2000, expected.end(), std::byte{0});
        std::copy(third.begin(), third.end(), expected.begin() + 50);
        std::copy(fifth.begin(), fifth.end(), expected.begin() + 2500);
        expect_moved(file.read(begin, found), 4000);
        const auto different = std::mismatch(found.begin(), found.end(), expected.begin()).first;
        EXPECT_EQ(different - found.begin(), 4000) << nodes << " nodes";
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
    const std::string path = directory.file("data");
    const std::string marker = directory.file(".data.kumihimo-incomplete-0-1-00000000000000000000000000000000");
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

// Openings of a file at a time are MPI's business: none of them is a crash that another has left.
TEST_F(Catwalk, OpensAFileThatAnotherHandleWrites) {
    Directory directory;
    const std::string path = directory.file("data");
    Opened first(path, fresh);
    ASSERT_TRUE(first.is_open()) << first.why();
    expect_moved(first.write(100 * rank(), filled(100, rank())), 100);
    ASSERT_FALSE(first->set_atomic(false));  // it is in the file, and not durable
    barrier();
    {
        Opened second(path, fresh);
        ASSERT_TRUE(second.is_open()) << second.why();
        expect_moved(second.write(1000 + 100 * rank(), filled(100, rank())), 100);
        ASSERT_FALSE(second->sync());
    }
    barrier();
    EXPECT_EQ(directory.entries(), 2u) << "the mark of the first is gone, and what it wrote is not durable";
    barrier();
    for (int turn = 0; turn < ranks(); ++turn) {
        if (turn == rank()) {
            Opened alone(path, fresh, {}, MPI_COMM_SELF);
            ASSERT_TRUE(alone.is_open()) << alone.why();
            expect_moved(alone.write(2000, filled(50, rank())), 50);
        }
        barrier();
    }
    expect_well(first.close());
    barrier();
    EXPECT_EQ(directory.entries(), 1u);
    barrier();
}

TEST_F(Catwalk, LeavesALinkAndMarksTheFileItself) {
    Directory directory;
    const std::string path = directory.file("data"), link = directory.file(std::string(250, 'l'));
    if (rank() == 0) {
        std::ofstream(path) << "there";
        std::filesystem::create_symlink("data", link);
    }
    barrier();
    Opened file(link, MPI_MODE_RDWR);
    ASSERT_TRUE(file.is_open()) << file.why();
    expect_moved(file.write(100 * rank(), filled(100, rank())), 100);
    expect_well(file->sync());
    barrier();
    if (rank() == 0) expect_well(engine().remove(link));
    barrier();
    EXPECT_EQ(directory.entries(), 1u);
    expect_well(file.close());
    barrier();
    EXPECT_EQ(directory.entries(), 1u);
    barrier();
}

}  // namespace
}  // namespace kumihimo::mpiio
