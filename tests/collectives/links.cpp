// What the torus algorithms promise about links, proved from their schedules on all shapes of the paper (table 1), 18,432 nodes
// included, under dimension-order routing: which links carry what, how deep the dependencies are, how much work space is taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "collectives/trees.hpp"
#include "tests/collectives/network.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::collectives::test {
namespace {

const char* const paper_shapes[] = {"384", "64x6", "8x6x8", "3072", "48x64", "16x6x32", "18432", "128x144", "48x12x32"};

std::vector<int> sample_ranks(const Torus& torus) {
    const int ranks = torus.ranks();
    return {0, 1, ranks / 3, ranks / 2 + 1, ranks - 1};
}

Call vector_call(Operation operation, const Torus& torus, int root, Bytes bytes) {
    Call call;
    call.operation = operation;
    call.torus = torus;
    call.ranks = torus.ranks();
    call.root = root;
    call.bytes = bytes;
    return call;
}

Call block_call(Operation operation, const Torus& torus, int root, Bytes bytes) {
    Call call = vector_call(operation, torus, root, 0);
    call.block_bytes = call.send_blocks.bytes = call.receive_blocks.bytes = bytes;
    call.work_limit = Bytes{1} << 40;
    return call;
}

// Farthest node along the edges of a tree: one more than the way to the opposite corner, for the closing links.
int most_depth(const Torus& torus) {
    return torus.extents[0] + torus.extents[1] + torus.extents[2] - 3 + (torus.axes() > 1 ? 1 : 0);
}

std::string trees_name(int trees) {
    return "tree" + std::to_string(trees);
}

class Paper : public testing::TestWithParam<const char*> {
protected:
    const Torus& torus() const { return torus_; }
    // The numbers of trees that the table has.
    std::vector<int> numbers(int most) const {
        std::vector<int> list;
        for (const int trees : {1, 2, 3, 4, 6})
            if (trees <= most) list.push_back(trees);
        return list;
    }

    void SetUp() override {
        if (MOST_RANKS < 17 && torus().ranks() > 384) GTEST_SKIP() << "takes long under sanitizers";
        if (torus().ranks() > 3072 && torus().axes() < 3 && !support::long_form())
            GTEST_SKIP() << "KUMIHIMO_TEST_LONG=1 runs it";
    }

private:
    const Torus torus_ = Torus::parse(GetParam());
};

constexpr int root_of_streams = 5;

// A vector of one segment for each tree: no link carries two segments, so the trees are edge-disjoint, and every rank but the
// root receives each segment once.
TEST_P(Paper, BroadcastAndReduceUseEachLinkOnce) {
    for (const Operation operation : {Operation::broadcast, Operation::reduce})
        for (const int trees : numbers(Tree::most(torus())))
            for (const int root : {0, torus().ranks() / 2 + 3}) {
                if (torus().ranks() > 3072 && (root == 0 || trees < Tree::most(torus()))) continue;
                const Call call = vector_call(operation, torus(), root, trees * 1000);
                const Network network(*find_algorithm(operation, trees_name(trees).c_str()), call);
                EXPECT_EQ(network.most_loaded(), 1000);
                EXPECT_EQ(network.messages(), Bytes{trees} * (torus().ranks() - 1));
                EXPECT_EQ(network.hops(), network.messages());  // neighbours only
                EXPECT_LE(network.depth(), most_depth(torus()));
            }
}

// The three-way Allreduce uses each link once, too: + links in one direction of the data, - links in the other.
TEST_P(Paper, AllreduceUsesEachLinkOnce) {
    for (const int trees : numbers(torus().axes())) {
        const Call call = vector_call(Operation::allreduce, torus(), 0, trees * 1000);
        const Network network(*find_algorithm(Operation::allreduce, trees_name(trees).c_str()), call);
        EXPECT_EQ(network.most_loaded(), 1000);
        EXPECT_EQ(network.messages(), 2 * Bytes{trees} * (torus().ranks() - 1));
        EXPECT_LE(network.depth(), 2 * most_depth(torus()));
    }
}

// Scatter and Gather: the root's links, one for each tree, carry the same and nobody's carry more. Blocks of which a tree has
// less than a segment go whole: of the paper's shapes each tree has as many, and one of them has the root's own, which stays.
void expect_bound_by_the_roots_links(Operation operation, const Torus& torus,
                                     std::vector<Bytes> (*of_root)(const Network&, const Torus&)) {
    if (torus.ranks() > 3072 && !support::long_form()) GTEST_SKIP() << "KUMIHIMO_TEST_LONG=1 runs it";
    for (const int trees : {torus.axes(), Tree::most(torus)})
        for (const bool whole : {true, false}) {
            if (!whole && torus.ranks() > 384) continue;  // a message for each part of a block on each edge
            if (torus.ranks() > 3072 && trees < Tree::most(torus)) continue;
            const Bytes part = 100, all = part * (torus.ranks() - 1), most = whole ? all + part : all;
            Call call = block_call(operation, torus, root_of_streams, trees * part);
            if (!whole) call.segment_bytes = part;
            const Algorithm& algorithm = *find_algorithm(operation, trees_name(trees).c_str());
            const Network network(algorithm, call);
            EXPECT_EQ(network.most_loaded(), trees > 1 ? most : all);
            const std::vector<Bytes> loads = of_root(network, torus);
            EXPECT_EQ(std::count(loads.begin(), loads.end(), most - (whole ? trees * part : 0)), whole ? 1 : trees);
            EXPECT_EQ(std::count(loads.begin(), loads.end(), most), whole ? trees - 1 : trees);
            EXPECT_LE(network.depth(), most_depth(torus));
            Call small = call;
            small.work_limit = 6 << 20;
            EXPECT_TRUE(usable(algorithm, small));
            EXPECT_LE(work_bytes(algorithm, small), 6 << 20);
        }
}

TEST_P(Paper, ScatterIsBoundByTheRootsLinks) {
    expect_bound_by_the_roots_links(Operation::scatter, torus(),
                                    [](const Network& network, const Torus&) { return network.loads(root_of_streams); });
}

TEST_P(Paper, GatherIsBoundByTheRootsLinks) {
    expect_bound_by_the_roots_links(Operation::gather, torus(), [](const Network& network, const Torus& torus) {
        std::vector<Bytes> towards;  // the root
        for (int axis = 0; axis < most_axes; ++axis)
            for (const int distance : {1, -1})
                towards.push_back(network.loads(
                    torus.neighbour(root_of_streams, axis, -distance))[static_cast<std::size_t>(2 * axis + (distance < 0))]);
        return towards;
    });
}

// Gather along the axes: messages of one axis and distance are a round, and in a round no link is used twice. There are as many
// rounds as in binomial trees on both sides of each axis's line, and the root receives one message in each at most.
TEST_P(Paper, GatherUsesNoLinkTwiceInARound) {
    const int root = torus().ranks() / 2 + 3;
    const Network network(*find_algorithm(Operation::gather, "axes"), block_call(Operation::gather, torus(), root, 8));
    EXPECT_EQ(network.messages(), torus().ranks() - 1);
    std::map<std::pair<int, int>, std::vector<bool>> used;
    bool twice = false;
    network.for_each_message([&](int from, int to, Bytes) {
        int hops = 0, axis = 0;
        torus().route(from, to, [&](int, int link) { ++hops, axis = link / 2; });
        std::vector<bool>& links = used[{axis, hops}];
        links.resize(static_cast<std::size_t>(torus().ranks() * 2 * most_axes));
        torus().route(from, to, [&](int node, int link) {
            const std::size_t number = static_cast<std::size_t>(node * 2 * most_axes + link);
            twice = twice || links[number];
            links[number] = true;
        });
    });
    EXPECT_FALSE(twice);
    int rounds = 0;
    for (const int extent : torus().extents)
        for (int distance = 1; distance <= extent / 2; distance *= 2) ++rounds;
    EXPECT_EQ(static_cast<int>(used.size()), rounds);
    EXPECT_LE(network.depth(), 2 * rounds);  // both sides of a line
}

// Allgather: every rank sends the same over each of its links of an axis's direction, to neighbours only; the most loaded link
// carries no more than (n - 1) / parts blocks and what the shorter first phases leave uneven, 1 / extent of it.
TEST_P(Paper, AllgatherLoadsAllLinks) {
    const int ranks = torus().ranks();
    for (const int parts : numbers(Tree::most(torus()))) {
        const Algorithm& algorithm = *find_algorithm(Operation::allgather, ("rings" + std::to_string(parts)).c_str());
        Call call = block_call(Operation::allgather, torus(), 0, parts);
        std::vector<Bytes> first;
        for (const int rank : ranks <= 384 ? sample_ranks(torus()) : std::vector<int>{0, ranks / 2 + 1}) {
            call.rank = rank;
            const std::vector<Bytes> loads = loads_of_neighbours(algorithm, call);
            if (first.empty()) first = loads;
            EXPECT_EQ(loads, first);
        }
        EXPECT_EQ(std::accumulate(first.begin(), first.end(), Bytes{0}), Bytes{parts} * (ranks - 1));
        if (parts % torus().axes() != 0) continue;
        const int least = *std::min_element(torus().extents.begin(), torus().extents.begin() + torus().axes());
        for (const Bytes load : first)
            if (load > 0) {
                EXPECT_NEAR(static_cast<double>(load) / (ranks - 1), 1, torus().axes() > 1 ? 1.2 / least : 0);
            }
    }
}

// Alltoall: in each round all ranks send to the same displacement, so all links of an axis's direction carry the same. Over all
// rounds that is what the bisection of the axis demands, extent / 8 of n blocks, and what equal ways round (always taken in +
// direction) add: n / 4 if the extent is even. In any run of 64 rounds no link carries 1.3
// times its share.
TEST_P(Paper, AlltoallIsBalanced) {
    const Algorithm& algorithm = *find_algorithm(Operation::alltoall, "torus");
    const int ranks = torus().ranks();
    Call call = block_call(Operation::alltoall, torus(), 0, 1);
    const std::vector<int> displacements = displacements_of(algorithm, call);
    for (const int rank : sample_ranks(torus())) {
        call.rank = rank;
        EXPECT_EQ(displacements_of(algorithm, call), displacements);
    }
    std::vector<std::vector<Bytes>> sums{{0, 0, 0, 0, 0, 0}};  // after each round, by link
    for (const int displacement : displacements) {
        sums.push_back(sums.back());
        torus().route(0, displacement, [&](int, int link) { ++sums.back()[static_cast<std::size_t>(link)]; });
    }
    for (std::size_t link = 0; link < 2 * most_axes; ++link) {
        const int extent = torus().extents[link / 2];
        if (extent == 1) continue;
        const double demanded = ranks / 8.0 * extent, total = static_cast<double>(sums.back()[link]);
        EXPECT_EQ(total,
                  extent % 2 == 0 ? demanded + (link % 2 == 0 ? ranks : -ranks) / 4.0 : ranks / 8.0 * (extent - 1.0 / extent));
        double worst = 0;
        for (std::size_t i = 64; i < sums.size(); ++i)
            worst = std::max(worst, static_cast<double>(sums[i][link] - sums[i - 64][link]) / (total * 64 / (ranks - 1)));
        EXPECT_LT(worst, 1.3) << "link " << link;
    }
}

// No rank's schedule knows the machine: the steps of a rank of 18,432 nodes are few, and computing them takes no more memory.
TEST_P(Paper, PipelinesAreComputedRankByRank) {
    const Algorithm& algorithm = *find_algorithm(Operation::broadcast, trees_name(torus().axes()).c_str());
    Call call = vector_call(Operation::broadcast, torus(), 0, 256 << 20);
    const StepIndex segments = (256 << 20) / call.segment_bytes + torus().axes();
    for (const int rank : sample_ranks(torus())) {
        call.rank = rank;
        Steps steps = schedule(algorithm, call);
        StepIndex count = 0;
        while (steps.next() != nullptr) ++count;
        EXPECT_LE(count, segments * (1 + Tree::most_children));
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Paper, testing::ValuesIn(paper_shapes),
                         [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

// Small tori and meshes, all roots. On meshes the closing edges go back through a whole line, and still no link is used twice.
TEST(SmallNetworks, TreesAreEdgeDisjoint) {
    for (int x = 1; x <= 4; ++x)
        for (int y = 1; y <= 4; ++y)
            for (int z = 1; z <= 3; ++z)
                for (int wraps = 0; wraps < 8; ++wraps) {
                    const Torus torus{{x, y, z}, {(wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0}};
                    for (const int trees : {1, 2, 3, 4, 6})
                        for (int root = 0; trees <= Tree::most(torus) && root < torus.ranks(); ++root) {
                            const Call call = vector_call(Operation::broadcast, torus, root, trees);
                            const Network down(*find_algorithm(Operation::broadcast, trees_name(trees).c_str()), call);
                            ASSERT_EQ(down.most_loaded(), torus.ranks() > 1) << x << y << z << wraps << " root " << root;
                        }
                }
}

// Every rank is in one share, the same in all trees, and a share's ranks of a subtree are where the stream says.
void expect_shares(const Torus& torus, const Tree& tree, int root) {
    for (const int of : {2, 3, 4, 6}) {
        std::vector<int> found(static_cast<std::size_t>(torus.ranks()));
        for (int number = 0; number < of; ++number) {
            const Share share{of, number};
            const std::vector<int> order = tree.order(share);
            EXPECT_EQ(tree.subtree(root, share), static_cast<int>(order.size()) + (number == 0));
            std::vector<int> below(static_cast<std::size_t>(torus.ranks()));
            for (std::size_t i = 0; i < order.size(); ++i) {
                const int rank = order[i];
                ++found[static_cast<std::size_t>(rank)];
                EXPECT_TRUE(tree.has(share, rank) && Tree(torus, 0, root).has(share, rank));
                EXPECT_EQ(tree.first(rank, share) + tree.subtree(rank, share) - 1, static_cast<int>(i));
                for (int at = rank; at != root; at = tree.parent(at)) ++below[static_cast<std::size_t>(at)];
            }
            for (int rank = 0; rank < torus.ranks(); ++rank)
                if (rank != root) {
                    EXPECT_EQ(tree.subtree(rank, share), below[static_cast<std::size_t>(rank)]);
                }
        }
        found[static_cast<std::size_t>(root)] = 1;
        EXPECT_EQ(std::count(found.begin(), found.end(), 1), torus.ranks());
    }
}

TEST(SmallNetworks, SubtreesAreWhereTheStreamSays) {
    for (const Torus& torus : {Torus{{7, 1, 1}}, Torus{{2, 2, 1}}, Torus{{4, 3, 1}}, Torus{{2, 3, 2}}, Torus{{4, 3, 5}},
                               Torus{{3, 4, 3}, {false, true, true}}})
        for (int number = 0; number < Tree::most(torus); ++number)
            for (int root = 0; root < torus.ranks(); ++root) {
                const Tree tree(torus, number, root);
                const std::vector<int> order = tree.order();
                ASSERT_EQ(static_cast<int>(order.size()), torus.ranks() - 1);
                expect_shares(torus, tree, root);
                for (std::size_t i = 0; i < order.size(); ++i) {
                    const int rank = order[i];
                    EXPECT_EQ(tree.first(rank) + tree.subtree(rank) - 1, static_cast<int>(i));
                    int below = 1;
                    for (const int child : tree.children(rank)) {
                        EXPECT_EQ(tree.parent(child), rank);
                        EXPECT_EQ(tree.depth(child), tree.depth(rank) + 1);
                        below += tree.subtree(child);
                    }
                    EXPECT_EQ(tree.subtree(rank), below);
                }
            }
}

}  // namespace
}  // namespace kumihimo::collectives::test
