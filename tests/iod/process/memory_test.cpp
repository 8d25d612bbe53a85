// The promise on memory (docs/explanation/catwalk.md): for each node its sort buffer, for each rank its ring, whatever the
// method and however much is written. Measured from outside: the largest resident size of each agent over that of one that has
// just opened the file.
#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

constexpr std::size_t mebibyte = 1 << 20, sort_buffer = 16 * mebibyte, ring = 64 << 10;
constexpr std::size_t allocator_bytes = 3 * mebibyte;  // code that runs only now, stacks, what the allocator keeps

std::size_t bytes_of(int process, const std::string& line_name) {
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(line_name)) return std::stoul(line.substr(line_name.size())) * 1024;
    return 0;
}

class Memory : public AgentTest, public testing::WithParamInterface<Method> {};

// Several times the buffers, in records of all kinds: tiny ones far apart, rows that meet, large ones backwards.
TEST_P(Memory, StaysWithinTheBuffers) {
    JobOptions wanted = options();
    wanted.nodes = 2;
    wanted.ranks = 2;
    wanted.options.method = GetParam();
    wanted.options.sort_buffer = sort_buffer;
    wanted.options.journal_directory = directory_.string();
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    const std::size_t before[] = {bytes_of(job.process(0), "VmRSS:"), bytes_of(job.process(1), "VmRSS:")};
    support::Random random;
    const std::vector<std::byte> data = random_bytes(random, 100'000);
    const auto ranks = static_cast<std::int64_t>(job.ranks());
    for (std::int64_t i = 0; i < 60'000; ++i)
        job.rank(static_cast<std::size_t>(i % ranks)).write(random.between(0, 1 << 24), std::span(data).first(160));
    for (std::int64_t i = 0; i < 400; ++i)
        job.rank(static_cast<std::size_t>(i % ranks)).write((400 - i) * 100'000, std::span(data));
    expect_all_ok(job.drain(Purpose::sync));
    for (const std::size_t node : {0u, 1u}) {
        const std::size_t most = bytes_of(job.process(node), "VmHWM:");
        ASSERT_GT(most, before[node]);
        EXPECT_LE(most - before[node], sort_buffer + 2 * ring + allocator_bytes) << "on node " << node;
    }
    expect_all_ok(job.close());
}

// A file of several times the buffer, read through another node.
TEST_F(AgentTest, ReadsStayWithinTheBuffers) {
    std::ofstream(path_) << "a file of holes";
    fs::resize_file(path_, 3 * sort_buffer);
    JobOptions wanted = options();
    wanted.nodes = 2;
    wanted.options.sort_buffer = sort_buffer;
    wanted.options.journal_directory = directory_.string();
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    const std::size_t before[] = {bytes_of(job.process(0), "VmRSS:"), bytes_of(job.process(1), "VmRSS:")};
    std::vector<std::byte> back(mebibyte);
    std::size_t got = 0;
    for (std::size_t at = 0; at < 3 * sort_buffer; at += back.size())
        ASSERT_TRUE(job.rank(1).read(static_cast<Offset>(at), back, got).ok());
    for (const std::size_t node : {0u, 1u})
        EXPECT_LE(bytes_of(job.process(node), "VmHWM:") - before[node], sort_buffer + allocator_bytes) << "on node " << node;
    expect_all_ok(job.close());
}

INSTANTIATE_TEST_SUITE_P(Methods, Memory, testing::Values(Method::sort, Method::immediate, Method::journal, Method::automatic));

}  // namespace
}  // namespace kumihimo::iod::test
