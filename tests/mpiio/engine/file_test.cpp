// What every engine's files do as a whole: opening, sizes, hints, counters, what is visible when.
#include "contract.hpp"

namespace kumihimo::mpiio {
namespace {

TEST(Opening, CreatesOnceAndOpensWhatIsThere) {
    Directory directory;
    const std::string path = directory.file("data");
    { EXPECT_TRUE(Opened(path, fresh | MPI_MODE_EXCL).is_open()); }
    { EXPECT_TRUE(Opened(path, MPI_MODE_RDONLY).is_open()); }
    EXPECT_EQ(contents(path).size(), 0u);
}

TEST(Opening, FailsOnAllRanksWithOneErrorClass) {
    Directory directory;
    const std::string path = directory.file("data");
    const auto code = [](const std::string& name, int amode) {
        const Opened file(name, amode);
        EXPECT_FALSE(file.is_open());
        EXPECT_TRUE(file.failure() && file.failure()->text.find(name) != std::string::npos);
        const int found = code_of(file.failure());
        EXPECT_TRUE(same_everywhere(found));
        return found;
    };
    EXPECT_EQ(code(path, MPI_MODE_RDWR), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(code(directory.file("no/data"), fresh), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(code(directory.file(""), MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
    EXPECT_EQ(code(directory.file(std::string(5000, 'x')), fresh), MPI_ERR_BAD_FILE);
    { EXPECT_TRUE(Opened(path, fresh).is_open()); }
    EXPECT_EQ(code(path, fresh | MPI_MODE_EXCL), MPI_ERR_FILE_EXISTS);
}

TEST(Closing, RemovesWhatWasOpenedForThat) {
    Directory directory;
    { Opened(directory.file("data"), fresh | MPI_MODE_DELETE_ON_CLOSE).write(rank(), filled(10, 1)); }
    barrier();
    EXPECT_EQ(directory.entries(), 0u);
    barrier();
    if (rank() == 0) {
        EXPECT_EQ(code_of(engine().remove(named(directory.file("data")))), MPI_ERR_NO_SUCH_FILE);
    }
}

TEST(Size, CountsWhatThisRankWroteAndAfterSyncWhatAllDid) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    const Index mine = 1000 * (rank() + 1);
    expect_moved(file.write(mine - 10, filled(10, 1)), 10);
    Index size = 0;
    expect_well(file->size(size));
    EXPECT_GE(size, mine);
    expect_well(file->sync());
    expect_well(file->size(size));
    EXPECT_EQ(size, 1000 * ranks());
}

TEST(Size, IsSetAndReserved) {
    Directory directory;
    const std::string path = directory.file("data");
    Opened file(path, fresh);
    Index size = 0;
    const auto expect_size = [&](Index expected) {
        expect_well(file->size(size));
        EXPECT_EQ(size, expected);
        barrier();
    };
    expect_moved(file.write(100 * rank(), filled(100, rank())), 100);
    expect_well(file->set_size(50));
    expect_size(50);
    expect_well(file->preallocate(5000));
    expect_size(5000);
    expect_well(file->preallocate(10));
    expect_size(5000);
    expect_well(file->set_size(7000));
    expect_size(7000);
    Bytes found(100);
    expect_moved(file.read(0, found), 100);
    Bytes expected = filled(100, 0);
    std::fill(expected.begin() + 50, expected.end(), std::byte{0});
    EXPECT_EQ(found == expected, true) << "what was cut off reads as zeros";
}

TEST(Size, BeyondFourGibibytes) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    const Index far = (Index{5} << 30) + 1000 * rank();
    const Bytes data = filled(1000, rank());
    expect_moved(file.write(far, data), 1000);
    expect_moved(file.write_all(far + (Index{1} << 32), data), 1000);
    expect_well(file->sync());
    Index size = 0;
    expect_well(file->size(size));
    EXPECT_EQ(size, (Index{9} << 30) + 1000 * ranks());
    for (const Index offset : {far, far + (Index{1} << 32)}) {
        Bytes found(1000);
        expect_moved(file.read_all(offset, found), 1000);
        EXPECT_EQ(found == data, true);
    }
}

TEST(Transfers, OfMoreThanTwoGibibytesMoveAllBytes) {
    if (!long_form()) GTEST_SKIP() << "takes 5 GB of memory for each rank (KUMIHIMO_TEST_LONG=1)";
    if (ranks() > 2) GTEST_SKIP() << "memory";
    Directory directory;
    Opened file(directory.file("data"), fresh);
    const Index bytes = (Index{1} << 31) + 12345;
    Bytes data = filled(bytes, rank()), found(static_cast<std::size_t>(bytes));
    expect_moved(file.write_all(bytes * rank(), data), bytes);
    expect_well(file->sync());
    expect_moved(file.read_all(bytes * rank(), found), bytes);
    EXPECT_EQ(found == data, true);
}

TEST(Reads, CountWhatIsThere) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    if (rank() == 0) {
        expect_moved(file.write(0, filled(100, 3)), 100);
    }
    expect_well(file->sync());
    Bytes found(80);
    expect_moved(file.read(60, found), 40);
    expect_moved(file.read(100, found), 0);
    expect_moved(file.read_all(60 + rank(), found), 40 - rank());
    expect_moved(file.read_all(1000, found), 0);
    EXPECT_EQ(found.size(), 80u);
}

TEST(Visibility, IsGivenBySync) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    const Index bytes = 100;
    for (int round = 0; round < 3; ++round) {
        const int next = (rank() + 1) % ranks();
        expect_moved(file.write(bytes * rank(), filled(bytes, rank() + round)), bytes);
        expect_well(file->sync());
        Bytes found(static_cast<std::size_t>(bytes));
        expect_moved(file.read(bytes * next, found), bytes);
        EXPECT_EQ(found == filled(bytes, next + round), true);
        expect_well(file->sync());
    }
}

TEST(Hints, AreThoseOfRankZeroAndCanBeChanged) {
    if (!engine_is("direct") && !engine_is("faulty")) GTEST_SKIP() << "other hints, and none that can be changed";
    Directory directory;
    Opened file(directory.file("data"), fresh, {{"cb_buffer_size", std::to_string(8192 + 4096 * rank())}, {"unheard", "of"}});
    Hints hints = file->hints();
    EXPECT_EQ(hints.at("cb_buffer_size"), "8192");
    EXPECT_EQ(hints.count("unheard"), 0u);
    EXPECT_GE(std::stoi(hints.at("cb_nodes")), 1);
    expect_moved(file.write(rank() * 10, filled(10, 1)), 10);
    file->set_hints({{"cb_nodes", "1"}, {"romio_cb_write", "disable"}, {"kumihimo_write_behind", "off"}});
    hints = file->hints();
    EXPECT_EQ(hints.at("cb_nodes"), "1");
    EXPECT_EQ(hints.at("romio_cb_write"), "disable");
    EXPECT_EQ(hints.at("cb_buffer_size"), "8192");
}

// ---- operations on the file system ----

TEST(Operations, AreFewForManySmallCollectiveWrites) {
    if (!engine_is("direct") && !engine_is("faulty")) GTEST_SKIP() << "operations of another process";
    Directory directory;
    const std::string path = directory.file("data");
    constexpr Index calls = 200, bytes = 256;
    Bytes expected;
    {
        Opened file(path, fresh);
        for (Index call = 0; call < calls; ++call) {
            const Index at = (call / 4 * ranks() + rank()) * 4 + call % 4;  // blocks of four calls, dealt round
            expect_moved(file.write_all(at * bytes, filled(bytes, static_cast<int>(at))), bytes);
        }
        expect_well(file->sync());
        EXPECT_LE(file->counters().writes, calls / 4 + 1);
        EXPECT_GT(file->counters().others, 0);
    }
    barrier();
    for (Index at = 0; at < calls * ranks(); ++at) {
        const Bytes part = filled(bytes, static_cast<int>(at));
        expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(contents(path) == expected, true);
}

TEST(Operations, ThroughAggregatorsAreLargeAndLeaveHolesAlone) {
    Directory directory;
    const std::string path = directory.file("data");
    constexpr Index piece = 8, pieces = 5000;
    const Bytes before = filled(piece * pieces * (ranks() + 1), 77);
    if (rank() == 0) put(path, before);
    barrier();
    Bytes expected = before;
    {
        // Of every ranks() + 1 pieces one each, and the last one is nobody's.
        Opened file(path, fresh, {{"kumihimo_collective", "two_phase"}, {"cb_nodes", "2"}, {"cb_buffer_size", "16384"}});
        const View view = {rank() * piece, sets::Extents::contiguous(piece), piece * (ranks() + 1)};
        Bytes data = filled(piece * pieces, rank());
        const Memory memory = row(data);
        expect_moved(file.agreed(file->write_all({view, 0, piece * pieces, memory})), piece * pieces);
        Bytes found(data.size());
        const Memory back = row(found);
        expect_moved(file.agreed(file->read_all({view, 0, piece * pieces, back})), piece * pieces);
        EXPECT_EQ(found == data, true);
        if (ranks() > 1 && (engine_is("direct") || engine_is("faulty"))) {
            EXPECT_GT(file->counters().exchanged_bytes, 0);
        }
    }
    for (int who = 0; who < ranks(); ++who) {
        const Bytes data = filled(piece * pieces, who);
        for (Index i = 0; i < piece * pieces; ++i)
            expected[static_cast<std::size_t>(i / piece * piece * (ranks() + 1) + who * piece + i % piece)] =
                data[static_cast<std::size_t>(i)];
    }
    barrier();
    EXPECT_EQ(contents(path) == expected, true);
}

// Ranks may write the same bytes of the file at the same time: some rank's arrive, and nothing else is touched.
TEST(Operations, ThroughAggregatorsSurviveOverlaps) {
    Directory directory;
    const std::string path = directory.file("data");
    const Bytes before = filled(100000, 77);
    if (rank() == 0) put(path, before);
    barrier();
    {
        Opened file(path, fresh, {{"kumihimo_collective", "two_phase"}});
        const View view = {0, sets::Extents::contiguous(10), 20};
        Bytes data(10000, static_cast<std::byte>(rank()));
        const Memory memory = row(data);
        expect_moved(file.agreed(file->write_all({view, 0, 10000, memory})), 10000);
    }
    barrier();
    const Bytes after = contents(path);
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
        const bool written = i < 20000 && i % 20 < 10;
        if (written)
            ASSERT_LT(static_cast<int>(after[i]), ranks());
        else
            ASSERT_EQ(after[i] == before[i], true) << i;
    }
}

}  // namespace
}  // namespace kumihimo::mpiio
