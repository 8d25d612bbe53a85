// What is one for all ranks of a file: sizes, lock, shared pointer; opening in its kinds; the end of the agent; journals;
// threads.
#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

using Services = AgentTest;

TEST_F(Services, SizesAreOfAllThatIsWritten) {
    JobOptions wanted = options();
    wanted.nodes = 3;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    support::Random random;
    job.rank(2).write(1000, random_bytes(random, 10));
    EXPECT_EQ(job.rank(2).call(Function::size).value, 1010);
    expect_all_ok(job.drain(Purpose::show));
    EXPECT_EQ(job.rank(0).call(Function::size).value, 1010);
    EXPECT_TRUE(job.rank(1).call(Function::set_size, 500).status.ok());
    EXPECT_EQ(job.rank(2).call(Function::size).value, 500);
    EXPECT_TRUE(job.rank(1).call(Function::preallocate, 4000).status.ok());
    EXPECT_TRUE(job.rank(1).call(Function::preallocate, 100).status.ok());
    EXPECT_EQ(job.rank(0).call(Function::size).value, 4000);
    expect_all_ok(job.close());
    EXPECT_EQ(content().size(), 4000u);
}

TEST_F(Services, ShowPutsOneRanksWritesIntoTheFile) {
    JobOptions wanted = options();
    wanted.nodes = 4;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    support::Random random;
    const auto data = random_bytes(random, 300'000);
    job.rank(3).write(0, data);
    EXPECT_TRUE(job.rank(3).call(Function::show).status.ok());
    EXPECT_TRUE(content() == data);
    std::vector<std::byte> back(data.size());
    std::size_t got = 0;
    EXPECT_TRUE(job.rank(1).read(0, back, got, 0, true).ok());
    EXPECT_TRUE(back == data);
    expect_all_ok(job.close());
}

// With one node nothing needs to reach the file for that, with several it does.
TEST_F(Services, WhatComesAfterAnOrderFindsWhatCameBefore) {
    for (const std::uint32_t nodes : {1u, 2u}) {
        JobOptions wanted = options();
        wanted.nodes = nodes, wanted.ranks = 2;
        Job job(wanted);
        ASSERT_TRUE(job.status().ok()) << job.status().text;
        support::Random random;
        const auto old = random_bytes(random, 50'000), young = random_bytes(random, 20'000);
        job.rank(0).write(10'000, old);
        expect_all_ok(job.drain(Purpose::order));
        job.rank(1).write(20'000, young);
        std::vector<std::byte> back(young.size());
        std::size_t got = 0;
        EXPECT_TRUE(job.rank(1).read(20'000, back, got).ok());
        EXPECT_TRUE(back == young);
        EXPECT_TRUE(job.rank(1).read(40'000, back, got).ok());
        EXPECT_TRUE(std::ranges::equal(back, std::span(old).subspan(30'000, back.size())));
        expect_all_ok(job.close());
        auto expected = std::vector<std::byte>(10'000);
        expected.insert(expected.end(), old.begin(), old.end());
        std::ranges::copy(young, expected.begin() + 20'000);
        EXPECT_TRUE(content() == expected);
    }
}

TEST_F(Services, TheLockGoesRoundInOrder) {
    JobOptions wanted = options();
    wanted.nodes = 3;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    EXPECT_TRUE(job.rank(1).call(Function::lock).status.ok());
    const std::uint64_t second = job.rank(2).ask_call(Function::lock);
    EXPECT_TRUE(job.rank(2).call(Function::size).status.ok());  // the request before has come to the server, too
    const std::uint64_t third = job.rank(0).ask_call(Function::lock);
    EXPECT_TRUE(job.rank(1).call(Function::unlock).status.ok());
    EXPECT_TRUE(decode<Result>(job.rank(2).line().answer(second)).status.ok());
    EXPECT_TRUE(job.rank(2).call(Function::unlock).status.ok());
    EXPECT_TRUE(decode<Result>(job.rank(0).line().answer(third)).status.ok());
    EXPECT_TRUE(job.rank(0).call(Function::unlock).status.ok());
    expect_all_ok(job.close());
}

TEST_F(Services, SharedPointer) {
    JobOptions wanted = options();
    wanted.nodes = 2;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    EXPECT_EQ(job.rank(0).call(Function::shared_add, 5).value, 0);
    EXPECT_EQ(job.rank(1).call(Function::shared_add, 7).value, 5);
    EXPECT_TRUE(job.rank(1).call(Function::shared_set, 100).status.ok());
    EXPECT_EQ(job.rank(0).call(Function::shared_add, 0).value, 100);
    expect_all_ok(job.close());
}

TEST_F(Services, OpeningFailsAsItShould) {
    JobOptions missing = options();
    missing.mode.create = false;
    EXPECT_EQ(Job(missing).status().code, Code::no_such_file);
    std::ofstream(path_) << "there";
    JobOptions exclusive = options();
    exclusive.mode.exclusive = true;
    EXPECT_EQ(Job(exclusive).status().code, Code::file_exists);
    JobOptions directory = options();
    directory.path = directory_.string();
    EXPECT_EQ(Job(directory).status().code, Code::bad_name);
}

TEST_F(Services, FilesWithAMarkerAreRefusedUnlessAccepted) {
    std::ofstream(path_) << "half";
    const fs::path marker = directory_ / left_mark(path_);
    std::ofstream(marker) << "";
    const Job refused(options());
    EXPECT_EQ(refused.status().code, Code::incomplete);
    EXPECT_NE(refused.status().text.find("kumihimo files recover"), std::string::npos);
    JobOptions accepting = options();
    accepting.options.accept_incomplete = true;
    Job job(accepting);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    EXPECT_TRUE(fs::exists(marker));
    expect_all_ok(job.close());
    EXPECT_EQ(neighbours(), 0u);
    std::ofstream(marker) << "";
    fs::remove(path_);
    EXPECT_TRUE(Job(options()).status().ok());  // the file that it was about is gone
    EXPECT_FALSE(fs::exists(marker));
}

TEST_F(Services, DeleteOnClose) {
    JobOptions wanted = options();
    wanted.nodes = 2;
    wanted.mode.delete_on_close = true;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok());
    job.rank(1).write(0, std::vector<std::byte>(10));
    expect_all_ok(job.close());
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_EQ(neighbours(), 0u);
}

TEST_F(Services, AgentsEndWithTheirJob) {
    std::vector<int> processes;
    {
        JobOptions wanted = options();
        wanted.nodes = 4;
        wanted.ranks = 2;
        wanted.servers = 3;
        Job job(wanted);
        ASSERT_TRUE(job.status().ok());
        for (std::size_t node = 0; node < 4; ++node) processes.push_back(job.process(node));
        expect_all_ok(job.close());
    }
    for (const int process : processes) {
        EXPECT_NE(process, getpid());
        EXPECT_TRUE(gone(process)) << process;
    }
}

TEST_F(Services, AsThreadsOfThisProcess) {
    JobOptions wanted = options();
    wanted.nodes = 3;
    wanted.ranks = 2;
    wanted.threads = true;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    EXPECT_EQ(job.process(0), getpid());
    support::Random random;
    const auto data = random_bytes(random, 500'000);
    job.rank(5).write(3, data);
    expect_all_ok(job.close());
    EXPECT_TRUE(std::equal(data.begin(), data.end(), content().begin() + 3));
}

// More than the buffer holds, in an order that cannot leave: it goes to the journal, which is there until all is durable.
TEST_F(Services, JournalsHoldWhatDoesNotFit) {
    JobOptions wanted = options();
    wanted.nodes = 2;
    wanted.options.method = Method::journal;
    wanted.options.sort_buffer = 2 << 20;
    wanted.options.largest_record = 4096;
    wanted.options.journal_directory = directory_.string();
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    support::Random random;
    const std::size_t bytes = 12 << 20, piece = 4096;
    const auto data = random_bytes(random, bytes);
    for (std::size_t step = 0; step < bytes / piece; ++step) {
        const std::size_t at = step * 1021 % (bytes / piece) * piece;
        job.rank(1).write(static_cast<Offset>(at), std::span(data).subspan(at, piece));
    }
    EXPECT_EQ(job.rank(1).call(Function::size).value, static_cast<Offset>(bytes));
    EXPECT_EQ(neighbours(), 1u);  // node 1's journal; nothing is in the file, so it has no marker
    expect_all_ok(job.drain(Purpose::show));
    EXPECT_TRUE(content() == data);
    EXPECT_GE(neighbours(), 2u);  // and the marker
    expect_all_ok(job.drain(Purpose::sync));
    EXPECT_EQ(neighbours(), 0u);
    expect_all_ok(job.close());
}

TEST_F(Services, CountersTellOfTheStages) {
    Job job(options());
    ASSERT_TRUE(job.status().ok());
    for (int i = 0; i < 100; ++i) job.rank(0).write(1000 * (99 - i), std::vector<std::byte>(1000));
    expect_all_ok(job.drain(Purpose::sync));
    std::map<std::string, double> counters;
    for (const auto& [name, value] : job.counters(0)) counters[name] = value;
    EXPECT_EQ(counters["bytes in"], 100'000);
    EXPECT_EQ(counters["bytes out"], 100'000);
    EXPECT_EQ(counters["file bytes written"], 100'000);
    EXPECT_GE(counters["records in"], 1);
    EXPECT_LE(counters["file writes"], 4);
    EXPECT_GT(counters["sync seconds"], 0);
    expect_all_ok(job.close());
}

}  // namespace
}  // namespace kumihimo::iod::test
