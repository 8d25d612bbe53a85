// What files of one communicator share: words for their pointers and memory for their logs, of which there are only so many.
#include "mpiio/engine/team.hpp"

#include <algorithm>
#include <memory>

#include "contract.hpp"

namespace kumihimo::mpiio {
namespace {

class Files : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (!engine_is("direct")) GTEST_SKIP() << "this engine keeps nothing in the team's memory";
        wait_politely();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    }
    void TearDown() override {
        files_.clear();
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    EngineFile& open(const std::string& name, const Hints& hints = {}) {
        std::optional<Failure> failure;
        files_.push_back(engine().open({comm_, directory_.file(name), fresh, hints}, failure));
        if (failure) throw std::runtime_error(failure->text);
        return *files_.back();
    }
    // Blocks of 1000 bytes in turn, each rank's filled with its number and the file's; the last ones first if `backwards`.
    void deal_blocks(EngineFile& file, int number, bool backwards) {
        for (int i = 0; i < blocks; ++i) {
            const Bytes data = filled(block, 10 * number + rank());
            const Index turn = backwards ? blocks - 1 - i : i;
            Outcome outcome = file.write_all({plain_, (turn * ranks() + rank()) * block, block, row(data)});
            if (!outcome.agreed) outcome.failure = base::agree(comm_, outcome.failure, "rank");
            expect_moved(outcome, block);
        }
    }
    static void expect_blocks(const std::string& path, int number) {
        Bytes expected;
        for (int i = 0; i < blocks * ranks(); ++i) {
            const Bytes data = filled(block, 10 * number + i % ranks());
            expected.insert(expected.end(), data.begin(), data.end());
        }
        EXPECT_TRUE(contents(path) == expected) << path;
    }
    static constexpr Index block = 1000;
    static constexpr int blocks = 20;
    Directory directory_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    View plain_;
    std::vector<std::unique_ptr<EngineFile>> files_;
};

// A rank waits for the others in a collective call, and another one in MPI for a message of the first, which has to go on.
TEST(Waiting, GoesOnWithMessages) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    expect_moved(file.write_all(rank(), filled(1, rank())), 1);
    std::vector<MPI_Request> requests(rank() == 0 ? static_cast<std::size_t>(ranks() - 1) : 0);
    std::vector<int> received(requests.size());
    const int mine = rank();
    for (std::size_t i = 0; i < requests.size(); ++i)
        MPI_Irecv(&received[i], 1, MPI_INT, static_cast<int>(i) + 1, 0, MPI_COMM_WORLD, &requests[i]);
    if (rank() != 0) MPI_Ssend(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);  // returns when rank 0 has taken it
    expect_well(file->sync());
    EXPECT_EQ(Team::of(MPI_COMM_WORLD).gather_all(mine).back(), ranks() - 1);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < received.size(); ++i) EXPECT_EQ(received[i], static_cast<int>(i) + 1);
}

// One log lies where the others reach it, one does not, one is not in order; then the memory serves the next file.
TEST_P(Files, OfOneCommunicatorKeepTheirLogsApart) {
    const Setting sharing("KUMIHIMO_SHM", GetParam());
    const Hints late = {{"kumihimo_collective", "deferred"}, {"romio_cb_write", "enable"}, {"cb_buffer_size", "4096"}};
    for (int opening = 0; opening < 2; ++opening) {
        EngineFile &first = open("first", late), &second = open("second", late);
        deal_blocks(first, 1, false);
        deal_blocks(second, 2, true);
        expect_well(second.close());
        expect_well(first.close());
        barrier();
        expect_blocks(directory_.file("first"), 1);
        expect_blocks(directory_.file("second"), 2);
        barrier();
        files_.clear();
    }
}

TEST_P(Files, HavePointersOfTheirOwnHoweverManyAreOpen) {
    const Setting sharing("KUMIHIMO_SHM", GetParam());
    constexpr int count = Team::words + 3;
    for (int number = 0; number < count; ++number) open(std::to_string(number));
    for (int number = 0; number < count; ++number) {
        Index before = 0;
        expect_well(files_[static_cast<std::size_t>(number)]->add_to_shared(number + 1, before));
        EXPECT_EQ(before % (number + 1), 0);
    }
    barrier();
    for (int number = 0; number < count; ++number) {
        Index before = 0;
        expect_well(files_[static_cast<std::size_t>(number)]->add_to_shared(0, before));
        EXPECT_EQ(before, ranks() * (number + 1));
    }
    for (const auto& file : files_) expect_well(file->close());
}

INSTANTIATE_TEST_SUITE_P(Ways, Files, testing::Values("auto", "posix", "off"));

}  // namespace
}  // namespace kumihimo::mpiio
