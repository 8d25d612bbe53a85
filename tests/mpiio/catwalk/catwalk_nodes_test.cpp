// Nodes and trees for all small sizes: every rank has one node, every node reaches the root on one way, and both ends of each
// connection name each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "mpiio/engine/catwalk/nodes.hpp"

namespace kumihimo::mpiio::catwalk {
namespace {

TEST(Nodes, AreNeighboursOfOneHostNumberedByTheirFirstRank) {
    const Nodes nodes = nodes_of({0, 1, 0, 1, 0, 0, 0}, 2);
    const std::vector<std::vector<int>> expected = {{0, 2}, {1}, {3}, {4, 5, 6}};
    EXPECT_EQ(nodes.ranks, expected);
    EXPECT_EQ(nodes.node_of_rank, (std::vector<int>{0, 1, 0, 2, 3, 3, 3}));
    EXPECT_FALSE(nodes.one_machine);
    EXPECT_EQ(nodes.leader(3), 4);
    EXPECT_EQ(nodes.place_in_node(6), 2);
}

TEST(Nodes, HaveEachRankOnceAndAreNeverEmpty) {
    for (int ranks = 1; ranks <= 9; ++ranks)
        for (int split = 1; split <= 10; ++split) {
            const Nodes nodes = nodes_of(std::vector<int>(static_cast<std::size_t>(ranks), 0), split);
            EXPECT_EQ(nodes.count(), std::min(split, ranks));
            EXPECT_TRUE(nodes.one_machine);
            std::vector<int> all;
            for (const auto& members : nodes.ranks) {
                EXPECT_FALSE(members.empty());
                all.insert(all.end(), members.begin(), members.end());
            }
            std::vector<int> expected(static_cast<std::size_t>(ranks));
            std::iota(expected.begin(), expected.end(), 0);
            EXPECT_EQ(all, expected);
        }
}

int depth(const Tree& tree, int node, int nodes) {
    int steps = 0;
    for (; node != tree.root() && steps <= nodes; ++steps) node = tree.parent(node);
    return steps;
}

void check_tree(iod::Topology topology, int nodes, int server, int servers) {
    const Tree tree(topology, nodes, server, servers);
    std::set<int> seen = {tree.root()};
    int deepest = 0;
    for (int node = 0; node < nodes; ++node) {
        const int steps = depth(tree, node, nodes);
        ASSERT_LT(steps, nodes) << "a circle";
        deepest = std::max(deepest, steps);
        const auto children = tree.children(node);
        for (std::size_t place = 0; place < children.size(); ++place) {
            EXPECT_TRUE(seen.insert(children[place]).second) << "two parents";
            EXPECT_EQ(tree.parent(children[place]), node);
            EXPECT_EQ(tree.place_among_children(children[place]), static_cast<int>(place));
        }
    }
    EXPECT_EQ(static_cast<int>(seen.size()), nodes);
    switch (topology) {
        case iod::Topology::ring:
            EXPECT_EQ(deepest, nodes - 1);
            break;
        case iod::Topology::tree:
            EXPECT_LE(1 << deepest, nodes);
            break;
        case iod::Topology::star:
            EXPECT_LE(deepest, 1);
            break;
    }
}

TEST(Trees, ReachTheServerFromEveryNode) {
    for (const auto topology : {iod::Topology::ring, iod::Topology::tree, iod::Topology::star})
        for (int nodes = 1; nodes <= 17; ++nodes)
            for (int servers = 1; servers <= nodes; ++servers)
                for (int server = 0; server < servers; ++server) check_tree(topology, nodes, server, servers);
}

TEST(Trees, HaveTheirRootsOnDifferentNodes) {
    for (int nodes = 1; nodes <= 17; ++nodes)
        for (int servers = 1; servers <= nodes; ++servers) {
            std::set<int> roots;
            for (int server = 0; server < servers; ++server)
                roots.insert(Tree(iod::Topology::tree, nodes, server, servers).root());
            EXPECT_EQ(static_cast<int>(roots.size()), servers);
            EXPECT_EQ(Tree(iod::Topology::ring, nodes, 0, servers).root(), 0) << "rank 0's node has the first part of the file";
        }
}

}  // namespace
}  // namespace kumihimo::mpiio::catwalk
