// Data access: explicit offsets, individual and shared pointers, ordered, nonblocking, split, atomic (MPI 3.1, 13.4 and 13.6).
#include <algorithm>

#include "tests/mpiio/file/scratch.hpp"

namespace {

// Record i of rank r: four ints that nobody else writes.
std::vector<int> record(int owner, int number) {
    return {owner, number, owner * 1000 + number, -1};
}

}  // namespace

TEST(Access, ExplicitOffsetsCountInEtypes) {
    const Scratch scratch("explicit");
    MPI_File file = scratch.open(create_and_write);
    EXPECT_OK(MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    const std::vector<int> mine = record(rank(), 7);
    MPI_Status status;
    EXPECT_OK(MPI_File_write_at(file, rank() * 4, mine.data(), 4, MPI_INT, &status));
    EXPECT_EQ(4, count_of(status, MPI_INT));
    EXPECT_OK(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(MPI_File_sync(file));
    const int next = (rank() + 1) % ranks();
    std::vector<int> theirs(4);
    EXPECT_OK(MPI_File_read_at_all(file, next * 4, theirs.data(), 4, MPI_INT, &status));
    EXPECT_EQ(record(next, 7), theirs);
    EXPECT_OK(MPI_File_read_at(file, ranks() * 4 - 1, theirs.data(), 4, MPI_INT, &status));  // the file ends
    EXPECT_EQ(1, count_of(status, MPI_INT));
    EXPECT_EQ(-1, theirs[0]);
    EXPECT_OK(MPI_File_read_at_all(file, ranks() * 4 + 5, theirs.data(), 4, MPI_INT, &status));
    EXPECT_EQ(0, count_of(status, MPI_INT));
    EXPECT_OK(MPI_File_close(&file));
    if (rank() == 0) {
        EXPECT_EQ(8u + 16u * ranks(), scratch.bytes().size());
    }
}

TEST(Access, IndividualPointersMoveByWhatWasAskedFor) {
    const Scratch scratch("individual");
    MPI_File file = scratch.open(create_and_write);
    EXPECT_OK(MPI_File_seek(file, rank() * 12, MPI_SEEK_SET));
    MPI_Offset position = 0;
    for (int i = 0; i < 3; ++i) {
        const int value = rank() * 10 + i;
        EXPECT_OK(MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    }
    EXPECT_OK(MPI_File_get_position(file, &position));
    EXPECT_EQ(rank() * 12 + 12, position);
    EXPECT_OK(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(MPI_File_sync(file));
    EXPECT_OK(MPI_File_seek(file, -8, MPI_SEEK_CUR));
    int values[2] = {};
    EXPECT_OK(MPI_File_read(file, values, 2, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(rank() * 10 + 1, values[0]);
    EXPECT_EQ(rank() * 10 + 2, values[1]);
    EXPECT_OK(MPI_File_seek(file, -4, MPI_SEEK_END));
    EXPECT_OK(MPI_File_get_position(file, &position));
    EXPECT_EQ(ranks() * 12 - 4, position);
    EXPECT_CLASS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Access, SharedPointerGivesEachRecordAPlaceOfItsOwn) {
    const Scratch scratch("shared");
    MPI_File file = scratch.open(create_and_write);
    constexpr int records = 20;
    for (int i = 0; i < records; ++i) {
        const std::vector<int> mine = record(rank(), i);
        EXPECT_OK(MPI_File_write_shared(file, mine.data(), 4, MPI_INT, MPI_STATUS_IGNORE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Offset position = 0;
    EXPECT_OK(MPI_File_get_position_shared(file, &position));
    EXPECT_EQ(16 * records * ranks(), position);
    EXPECT_OK(MPI_File_close(&file));
    if (rank() != 0) return;
    const Bytes bytes = scratch.bytes();
    ASSERT_EQ(16u * records * ranks(), bytes.size());
    std::vector<std::vector<int>> found, wanted;
    for (std::size_t at = 0; at < bytes.size(); at += 16) {
        found.emplace_back(4);
        std::memcpy(found.back().data(), bytes.data() + at, 16);
    }
    for (int owner = 0; owner < ranks(); ++owner)
        for (int i = 0; i < records; ++i) wanted.push_back(record(owner, i));
    std::sort(found.begin(), found.end());
    EXPECT_EQ(wanted, found);
}

TEST(Access, OrderedIsByRank) {
    const Scratch scratch("ordered");
    MPI_File file = scratch.open(create_and_write);
    const std::string mine(rank() + 1, static_cast<char>('a' + rank()));
    std::string wanted;
    for (int round = 0; round < 3; ++round) {
        EXPECT_OK(MPI_File_write_ordered(file, mine.data(), rank() + 1, MPI_CHAR, MPI_STATUS_IGNORE));
        for (int i = 0; i < ranks(); ++i) wanted += std::string(i + 1, static_cast<char>('a' + i));
    }
    EXPECT_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    std::string back(rank() + 1, '?');
    EXPECT_OK(MPI_File_read_ordered(file, back.data(), rank() + 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(mine, back);
    if (ranks() > 1) {
        EXPECT_CLASS(MPI_ERR_NOT_SAME, MPI_File_seek_shared(file, rank(), MPI_SEEK_SET));
    }
    EXPECT_OK(MPI_File_close(&file));
    if (rank() == 0) {
        EXPECT_EQ(Bytes(wanted.begin(), wanted.end()), scratch.bytes());
    }
}

TEST(Access, SequentialFilesKnowOnlyTheSharedPointer) {
    const Scratch scratch("sequential");
    MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    char byte = 'x';
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write_at_all(file, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_write_shared(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_close(&file));
    if (rank() == 0) {
        EXPECT_EQ(Bytes(ranks(), 'x'), scratch.bytes());
    }
}

TEST(Access, NonblockingRequestsCarryTheirCounts) {
    const Scratch scratch("nonblocking");
    MPI_File file = scratch.open(create_and_write);
    constexpr int requests = 5;
    MPI_Request pending[requests];
    MPI_Status statuses[requests];
    int values[requests];
    for (int i = 0; i < requests; ++i) {
        values[i] = rank() * requests + i;
        EXPECT_OK(MPI_File_iwrite_at(file, values[i] * 4, &values[i], 1, MPI_INT, &pending[i]));
    }
    EXPECT_OK(MPI_Waitall(requests, pending, statuses));
    for (const MPI_Status& status : statuses) EXPECT_EQ(1, count_of(status, MPI_INT));
    EXPECT_OK(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(MPI_File_sync(file));
    std::vector<int> all(requests * ranks() + 3, -7), wanted = all;
    for (int i = 0; i < requests * ranks(); ++i) wanted[i] = i;
    EXPECT_OK(MPI_File_iread_at_all(file, 0, all.data(), static_cast<int>(all.size()), MPI_INT, pending));
    EXPECT_OK(MPI_Wait(pending, statuses));
    EXPECT_EQ(requests * ranks(), count_of(statuses[0], MPI_INT));
    EXPECT_EQ(wanted, all);
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Access, NonblockingCollectivesDoNotWaitForOthers) {
    const Scratch scratch("nowait");
    MPI_File file = scratch.open(create_and_write);
    MPI_Request request;
    const int value = rank();
    const auto write = [&] { EXPECT_OK(MPI_File_iwrite_at_all(file, rank() * 4, &value, 1, MPI_INT, &request)); };
    // Rank 0 calls first and then tells the others to call: it must return from its call.
    if (rank() == 0) {
        write();
        for (int other = 1; other < ranks(); ++other) MPI_Send(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        write();
    }
    EXPECT_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_close(&file));
    if (rank() == 0) {
        EXPECT_EQ(4u * ranks(), scratch.bytes().size());
    }
}

TEST(Access, SplitCollectives) {
    const Scratch scratch("split");
    MPI_File file = scratch.open(create_and_write);
    const int mine = rank() + 5;
    int other = 0, back = 0;
    MPI_Status status;
    EXPECT_CLASS(MPI_ERR_OTHER, MPI_File_write_at_all_end(file, &mine, &status));
    EXPECT_OK(MPI_File_write_at_all_begin(file, rank() * 4, &mine, 1, MPI_INT));
    EXPECT_CLASS(MPI_ERR_OTHER, MPI_File_read_at_all_begin(file, 0, &back, 1, MPI_INT));
    EXPECT_OK(MPI_File_write_at_all_end(file, &mine, &status));
    EXPECT_EQ(1, count_of(status, MPI_INT));
    EXPECT_OK(MPI_File_seek(file, rank() * 4, MPI_SEEK_SET));
    EXPECT_OK(MPI_File_read_all_begin(file, &back, 1, MPI_INT));
    EXPECT_CLASS(MPI_ERR_BUFFER, MPI_File_read_all_end(file, &other, &status));
    EXPECT_EQ(mine, back);
    EXPECT_OK(MPI_File_read_ordered_begin(file, &other, 1, MPI_INT));
    EXPECT_OK(MPI_File_read_ordered_end(file, &other, &status));
    EXPECT_EQ(mine, other);
    EXPECT_OK(MPI_File_close(&file));
}

// Each rank writes the whole range again and again; whoever reads meanwhile sees one rank's bytes and nobody else's.
TEST(Access, AtomicTransfersAreWhole) {
    const Scratch scratch("atomic");
    MPI_File file = scratch.open(create_and_write);
    constexpr int length = 40000;
    EXPECT_OK(MPI_File_set_atomicity(file, 1));
    int atomic = 0;
    EXPECT_OK(MPI_File_get_atomicity(file, &atomic));
    EXPECT_EQ(1, atomic);
    const Bytes mine(length, static_cast<unsigned char>(rank() + 1));
    EXPECT_OK(MPI_File_write_at(file, 0, mine.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < 20; ++round) {
        Bytes seen(length, 0);
        if (round % ranks() == rank()) {
            EXPECT_OK(MPI_File_write_at(file, 0, mine.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
        }
        EXPECT_OK(MPI_File_read_at(file, 0, seen.data(), length, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_EQ(length, std::count(seen.begin(), seen.end(), seen[0])) << "torn";
        EXPECT_GE(seen[0], 1);
        EXPECT_LE(seen[0], ranks());
    }
    EXPECT_OK(MPI_File_set_atomicity(file, 0));
    EXPECT_OK(MPI_File_close(&file));
}
