// Files many times larger than all buffers, read by every node: each server reads each byte once for all of them, nodes keep
// the rest of what passed on their disks, and their memory stays what it was.
#include <map>

#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

constexpr std::size_t sort_buffer = 2 << 20, piece = 64 << 10, stripe = 16 * piece;

struct Shape {
    std::uint32_t nodes, servers;
    Topology topology;
    bool writing;  // opened for both
};

void PrintTo(const Shape& shape, std::ostream* out) {
    *out << shape.nodes << " nodes, " << shape.servers << " servers, " << testing::PrintToString(shape.topology);
}

class StagedReads : public AgentTest, public testing::WithParamInterface<Shape> {
protected:
    JobOptions options_of(const Shape& shape) const {
        JobOptions wanted = options();
        wanted.nodes = shape.nodes;
        wanted.ranks = 2;
        wanted.servers = shape.servers;
        wanted.topology = shape.topology;
        wanted.mode = {true, shape.writing, false, false, false, 0};
        wanted.options.sort_buffer = sort_buffer;
        wanted.options.stripe = stripe;
        wanted.options.journal_directory = directory_.string();
        return wanted;
    }
    void make_file(support::Random& random, std::size_t bytes) {
        data_ = random_bytes(random, bytes);
        std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(data_.data()), static_cast<long>(bytes));
    }
    void read_piece(Job& job, std::size_t rank, std::size_t at, std::uint32_t server) {
        const std::size_t wanted = std::min(piece, data_.size() - at);
        std::vector<std::byte> back(piece);
        std::size_t got = 0;
        const Status status = job.rank(rank).read(static_cast<Offset>(at), back, got, server);
        ASSERT_TRUE(status.ok()) << status.text;
        ASSERT_EQ(got, wanted) << "at " << at;
        ASSERT_TRUE(std::equal(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(got),
                               data_.begin() + static_cast<std::ptrdiff_t>(at)))
            << "at " << at << " by rank " << rank;
    }
    // Every rank reads all, in an order of its own, but for what lies on its own node's disk.
    void read_all(Job& job, const Shape& shape) {
        const std::size_t pieces = (data_.size() + piece - 1) / piece;
        for (std::size_t step = 0; step < pieces && !HasFatalFailure(); ++step)
            for (std::size_t rank = 0; rank < job.ranks(); ++rank) {
                const std::size_t at = (step * (rank % 2 == 0 ? 1 : 37) + rank) % pieces * piece;
                const auto server = static_cast<std::uint32_t>(at / stripe % shape.servers);
                const auto node = static_cast<std::uint32_t>(rank / 2);
                if (Job::parent_of(shape.topology, shape.nodes, shape.servers, server, node) >= 0)
                    read_piece(job, rank, at, server);
            }
    }
    double counter(Job& job, const std::string& wanted) {
        double sum = 0;
        for (std::size_t node = 0; node < GetParam().nodes; ++node)
            for (const auto& [name, value] : job.counters(node))
                if (name == wanted) sum += value;
        return sum;
    }

    std::vector<std::byte> data_;
};

TEST_P(StagedReads, EachServerReadsEachByteOnce) {
    const Shape shape = GetParam();
    support::Random random;
    make_file(random, static_cast<std::size_t>(random.between(9 << 20, 10 << 20)));
    Job job(options_of(shape));
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    const std::uint32_t under_the_root = shape.topology == Topology::ring ? 1 : std::min(shape.nodes - 1, 2u);
    const double once = under_the_root * static_cast<double>(data_.size());
    for (int round = 0; round < 2; ++round) {
        read_all(job, shape);
        EXPECT_EQ(counter(job, "file bytes read"), once) << "seed " << random.seed();
    }
    EXPECT_GT(counter(job, "bytes staged on disk"), once / 2);
    EXPECT_EQ(neighbours(), 0u);  // what is staged has no name
    expect_all_ok(job.drain(Purpose::sync));
    read_piece(job, job.ranks() - 1, 0, 0);
    EXPECT_GT(counter(job, "file bytes read"), once);  // another program may have written meanwhile
    expect_all_ok(job.close());
}

// What is written into a file of which nodes have staged a part, and read by who wrote it: before a drain, and after it by all.
class StagedAndWritten : public StagedReads {};

TEST_P(StagedAndWritten, IsSeenByWhoWroteItAndThenByAll) {
    const Shape shape = GetParam();
    support::Random random;
    make_file(random, 4 << 20);
    Job job(options_of(shape));
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    read_all(job, shape);
    for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t at =
            static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(data_.size() / piece) - 1)) * piece;
        const std::size_t rank = at / piece % job.ranks();  // one for each piece
        const auto bytes = random_bytes(random, 300);
        job.rank(rank).write(static_cast<Offset>(at + 1000), bytes);
        std::ranges::copy(bytes, data_.begin() + static_cast<std::ptrdiff_t>(at + 1000));
        read_piece(job, rank, at, static_cast<std::uint32_t>(at / stripe % shape.servers));
    }
    expect_all_ok(job.drain(Purpose::show));
    read_all(job, shape);
    expect_all_ok(job.close());
    EXPECT_TRUE(content() == data_);
}

const Shape written[] = {{3, 1, Topology::ring, true}, {3, 2, Topology::ring, true}};
const Shape read_only[] = {{2, 1, Topology::ring, false}, {4, 1, Topology::tree, false}};
INSTANTIATE_TEST_SUITE_P(ReadOnly, StagedReads, testing::ValuesIn(read_only));
INSTANTIATE_TEST_SUITE_P(Written, StagedReads, testing::ValuesIn(written));
INSTANTIATE_TEST_SUITE_P(Written, StagedAndWritten, testing::ValuesIn(written));

}  // namespace
}  // namespace kumihimo::iod::test
