// The agent as ranks see it: what was written is in the file, read back, durable; several nodes, servers, topologies and
// methods.
#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

TEST_F(AgentTest, WritesAndReadsBack) {
    support::Random random;
    Job job(options());
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    const auto data = random_bytes(random, 100'000);
    job.rank(0).write(5, data);
    std::vector<std::byte> back(data.size() + 100);
    std::size_t got = 0;
    EXPECT_TRUE(job.rank(0).read(5, back, got).ok());
    ASSERT_EQ(got, data.size());
    EXPECT_TRUE(std::equal(data.begin(), data.end(), back.begin()));
    EXPECT_EQ(job.rank(0).call(Function::size).value, 100'005);
    EXPECT_EQ(neighbours(), 1u);  // the marker
    expect_all_ok(job.drain(Purpose::sync));
    EXPECT_EQ(neighbours(), 0u);
    expect_all_ok(job.close());
    ASSERT_EQ(content().size(), 100'005u);
    EXPECT_TRUE(std::equal(data.begin(), data.end(), content().begin() + 5));
}

// Random writes of random ranks; overlaps only within a rank or over a drain, so there is one right result.
class Shapes : public AgentTest, public testing::WithParamInterface<std::tuple<int, int, int, Topology, Method, bool>> {};

TEST_P(Shapes, SameBytesAsAPlainArray) {
    const auto [nodes, ranks, servers, topology, method, merge] = GetParam();
    support::Random random;
    JobOptions wanted = options();
    wanted.nodes = static_cast<std::uint32_t>(nodes);
    wanted.ranks = static_cast<std::uint32_t>(ranks);
    wanted.servers = static_cast<std::uint32_t>(servers);
    wanted.topology = topology;
    wanted.options.method = method;
    wanted.options.merge = merge;
    wanted.options.stripe = 10'000;
    wanted.options.largest_record = 4096;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    constexpr std::int64_t part = 70'000;
    const std::int64_t all = static_cast<std::int64_t>(job.ranks());
    std::vector<std::byte> expected(static_cast<std::size_t>(part * all));
    std::size_t end = 0;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 40 * static_cast<int>(all); ++i) {
            const std::int64_t rank = random.between(0, all - 1), owner = (rank + round) % all;
            const std::int64_t begin = random.between(0, part - 1);
            const auto data =
                random_bytes(random, static_cast<std::size_t>(random.between(1, std::min<std::int64_t>(9000, part - begin))));
            const auto at = static_cast<std::size_t>(owner * part + begin);
            job.rank(static_cast<std::size_t>(rank)).write(static_cast<Offset>(at), data);
            std::ranges::copy(data, expected.begin() + static_cast<std::ptrdiff_t>(at));
            end = std::max(end, at + data.size());
            if (i % 10 != 0) continue;
            const std::size_t server = at / 10'000 % wanted.servers,
                              piece = std::min<std::size_t>(data.size(), 10'000 - at % 10'000);
            std::vector<std::byte> back(piece);
            std::size_t got = 0;
            const Status status =
                job.rank(static_cast<std::size_t>(rank))
                    .read(static_cast<Offset>(at), back, got, static_cast<std::uint32_t>(server), i % 20 == 0);
            ASSERT_TRUE(status.ok()) << status.text;
            ASSERT_EQ(got, piece);
            ASSERT_TRUE(std::equal(back.begin(), back.end(), data.begin())) << "seed " << random.seed();
        }
        expect_all_ok(job.drain(round == 1 ? Purpose::sync : Purpose::show));
        for (std::size_t rank = 0; rank < job.ranks(); ++rank) {  // everybody sees everything
            const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(end) / 10'000)) * 10'000;
            std::vector<std::byte> back(10'000);
            std::size_t got = 0;
            ASSERT_TRUE(job.rank(rank)
                            .read(static_cast<Offset>(at), back, got, static_cast<std::uint32_t>(at / 10'000 % wanted.servers))
                            .ok());
            ASSERT_EQ(got, std::min<std::size_t>(10'000, end - std::min(at, end)));
            ASSERT_TRUE(std::equal(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(got),
                                   expected.begin() + static_cast<std::ptrdiff_t>(at)))
                << "seed " << random.seed() << " round " << round << " rank " << rank << " at " << at;
        }
    }
    expect_all_ok(job.close());
    expected.resize(end);
    EXPECT_TRUE(content() == expected) << "seed " << random.seed();
    EXPECT_EQ(neighbours(), 0u);
}

INSTANTIATE_TEST_SUITE_P(OneNode, Shapes,
                         testing::Combine(testing::Values(1), testing::Values(1, 3), testing::Values(1),
                                          testing::Values(Topology::ring),
                                          testing::Values(Method::immediate, Method::sort, Method::journal), testing::Bool()));
// KUMIHIMO_TEST_LONG: all shapes, which take minutes.
template <typename Value>
auto few_or_all(std::vector<Value> few, std::vector<Value> all) {
    return testing::ValuesIn(support::long_form() ? all : few);
}
INSTANTIATE_TEST_SUITE_P(
    Nodes, Shapes,
    testing::Combine(few_or_all<int>({4}, {2, 3, 4, 7}), few_or_all<int>({2}, {1, 2}), few_or_all<int>({1, 3}, {1, 2, 3}),
                     testing::Values(Topology::ring, Topology::tree, Topology::star),
                     few_or_all<Method>({Method::immediate, Method::sort},
                                        {Method::automatic, Method::immediate, Method::journal, Method::sort}),
                     few_or_all<bool>({true}, {true, false})));

}  // namespace
}  // namespace kumihimo::iod::test
