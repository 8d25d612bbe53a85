// What is promised when something fails: the same first failure everywhere, soon; no stream that stops; nothing left behind.
#include <sys/resource.h>

#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

using Failures = AgentTest;

// Agents inherit it: files that they write may not grow beyond.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_;
};

TEST_F(Failures, AFullDiskIsTheSameErrorOnAllNodes) {
    std::unique_ptr<Job> job;
    {
        const FileLimit limit(100'000);
        JobOptions wanted = options();
        wanted.nodes = 3;
        wanted.servers = 2;
        wanted.options.stripe = 50'000;
        job = std::make_unique<Job>(wanted);
    }
    ASSERT_TRUE(job->status().ok()) << job->status().text;
    const std::vector<std::byte> data(40'000);
    for (std::size_t rank = 0; rank < 3; ++rank) job->rank(rank).write(static_cast<Offset>(rank) * 40'000, data);
    for (const Purpose purpose : {Purpose::show, Purpose::sync, Purpose::show}) {
        for (const Status& status : job->drain(purpose)) {
            EXPECT_EQ(status.code, Code::too_large);
            EXPECT_EQ(status.errno_name, "EFBIG");
            EXPECT_NE(status.text.find("host 0"), std::string::npos) << status.text;
        }
    }
    for (std::size_t rank = 0; rank < 3; ++rank)  // streams go on: far more than rings and buffers hold
        for (int i = 0; i < 100; ++i) job->rank(rank).write(200'000 + 100'000 * i, std::vector<std::byte>(100'000));
    std::vector<std::byte> back(10);
    std::size_t got = 0;
    EXPECT_EQ(job->rank(2).read(0, back, got, 0, true).code, Code::too_large);
    for (const Status& status : job->close()) EXPECT_EQ(status.code, Code::too_large);
    EXPECT_GT(neighbours(), 0u);
}

TEST_F(Failures, AFullJournalDiskIsNoFailure) {
    JobOptions wanted = options();
    wanted.nodes = 2;
    wanted.options.method = Method::journal;
    wanted.options.sort_buffer = 2 << 20;
    wanted.options.journal_directory = "/dev/full/none";
    Job job(wanted);
    ASSERT_TRUE(job.status().ok());
    support::Random random;
    const auto data = random_bytes(random, 8 << 20);
    job.rank(1).write(0, data);
    expect_all_ok(job.close());
    EXPECT_TRUE(content() == data);
}

// Wherever an agent is killed: all others answer, with the same code.
TEST_F(Failures, AKilledAgentIsToldToAll) {
    for (const Topology topology : {Topology::ring, Topology::tree, Topology::star}) {
        for (std::size_t victim = 0; victim < 4; ++victim) {
            fs::remove_all(directory_);
            fs::create_directory(directory_);
            JobOptions wanted = options();
            wanted.nodes = 4;
            wanted.topology = topology;
            Job job(wanted);
            ASSERT_TRUE(job.status().ok());
            for (std::size_t rank = 0; rank < 4; ++rank)
                job.rank(rank).write(static_cast<Offset>(rank), std::vector<std::byte>(1));
            expect_all_ok(job.drain(Purpose::sync));
            std::vector<std::uint64_t> requests;
            for (std::size_t rank = 0; rank < 4; ++rank) {
                job.rank(rank).write(static_cast<Offset>(rank), std::vector<std::byte>(1));
                requests.push_back(rank == victim ? 0 : job.rank(rank).ask_drain(2, Purpose::sync));
            }
            ASSERT_EQ(kill(job.process(victim), SIGKILL), 0);
            for (std::size_t rank = 0; rank < 4; ++rank) {
                if (rank == victim) continue;
                EXPECT_EQ(job.rank(rank).drained(requests[rank]).status.code, Code::lost_process)
                    << "victim " << victim << " rank " << rank;
                EXPECT_EQ(job.rank(rank).call(Function::size).status.code, Code::lost_process);
            }
            job.cut_all();
            for (std::size_t node = 0; node < 4; ++node) EXPECT_TRUE(gone(job.process(node))) << "node " << node;
        }
    }
}

TEST_F(Failures, AKilledRankIsToldToAll) {
    JobOptions wanted = options();
    wanted.nodes = 3;
    wanted.ranks = 2;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok());
    job.rank(3).write(0, std::vector<std::byte>(1000));
    const std::uint64_t waiting = job.rank(4).ask_drain(1, Purpose::sync);
    job.rank(3).line().close();
    const Drained drained = job.rank(4).drained(waiting);
    EXPECT_EQ(drained.status.code, Code::lost_process);
    EXPECT_NE(drained.status.text.find("rank 3"), std::string::npos) << drained.status.text;
    EXPECT_EQ(job.rank(0).call(Function::size).status.code, Code::lost_process);
    job.cut_all();
    for (std::size_t node = 0; node < 3; ++node) EXPECT_TRUE(gone(job.process(node)));
}

// All ranks killed with data in every buffer: the agents end, and the file says that it is incomplete or is as it was synced.
TEST_F(Failures, NothingIsLeftOfAKilledJob) {
    JobOptions wanted = options();
    wanted.nodes = 3;
    wanted.servers = 2;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok());
    for (std::size_t rank = 0; rank < 3; ++rank)
        job.rank(rank).write(static_cast<Offset>(rank) * 100, std::vector<std::byte>(100));
    expect_all_ok(job.drain(Purpose::sync));
    const auto synced = content();
    for (std::size_t rank = 0; rank < 3; ++rank)
        job.rank(rank).write(static_cast<Offset>(rank) * 100, std::vector<std::byte>(3'000'000));
    job.cut_all();
    for (std::size_t node = 0; node < 3; ++node) EXPECT_TRUE(gone(job.process(node))) << "node " << node;
    EXPECT_TRUE(neighbours() > 0 || content() == synced);
}

TEST_F(Failures, JournalsOfAKilledJobStay) {
    JobOptions wanted = options();
    wanted.options.method = Method::journal;
    wanted.options.sort_buffer = 2 << 20;
    wanted.options.journal_directory = directory_.string();
    Job job(wanted);
    ASSERT_TRUE(job.status().ok());
    for (int i = 0; i < 2000; ++i) job.rank(0).write((i * 997 % 2000) * 8192, std::vector<std::byte>(4096));
    job.rank(0).call(Function::size);
    job.cut_all();
    EXPECT_TRUE(gone(job.process(0)));
    bool journal = false;
    for (const auto& entry : fs::directory_iterator(directory_))
        journal = journal || entry.path().filename().string().starts_with("kumihimo-journal-");
    EXPECT_TRUE(journal);
}

}  // namespace
}  // namespace kumihimo::iod::test
