// Groups of ranks and trees of hosts for all small sizes: every rank has one group, every host reaches the root on one way, and
// both ends of each connection name each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "mpiio/engine/catwalk/tree.hpp"
#include "mpiio/engine/groups.hpp"

namespace kumihimo::mpiio::catwalk {
namespace {

TEST(Groups, AreNeighboursOfOneHostNumberedByTheirFirstRank) {
    const Groups groups = groups_of({0, 1, 0, 1, 0, 0, 0}, 2);
    const std::vector<std::vector<int>> expected = {{0, 2}, {1}, {3}, {4, 5, 6}};
    EXPECT_EQ(groups.ranks, expected);
    EXPECT_EQ(groups.group_of_rank, (std::vector<int>{0, 1, 0, 2, 3, 3, 3}));
    EXPECT_FALSE(groups.one_machine);
    EXPECT_EQ(groups.leader(3), 4);
    EXPECT_EQ(groups.place_in_group(6), 2);
}

TEST(Groups, HaveEachRankOnceAndAreNeverEmpty) {
    for (int ranks = 1; ranks <= 9; ++ranks)
        for (int split = 1; split <= 10; ++split) {
            const Groups groups = groups_of(std::vector<int>(static_cast<std::size_t>(ranks), 0), split);
            EXPECT_EQ(groups.count(), std::min(split, ranks));
            EXPECT_TRUE(groups.one_machine);
            std::vector<int> all;
            for (const auto& members : groups.ranks) {
                EXPECT_FALSE(members.empty());
                all.insert(all.end(), members.begin(), members.end());
            }
            std::vector<int> expected(static_cast<std::size_t>(ranks));
            std::iota(expected.begin(), expected.end(), 0);
            EXPECT_EQ(all, expected);
        }
}

int depth(const Tree& tree, int host, int hosts) {
    int steps = 0;
    for (; host != tree.root() && steps <= hosts; ++steps) host = tree.parent(host);
    return steps;
}

void check_tree(iod::Topology topology, int hosts, int server, int servers) {
    const Tree tree(topology, hosts, server, servers);
    std::set<int> seen = {tree.root()};
    int deepest = 0;
    for (int host = 0; host < hosts; ++host) {
        const int steps = depth(tree, host, hosts);
        ASSERT_LT(steps, hosts) << "a circle";
        deepest = std::max(deepest, steps);
        const auto children = tree.children(host);
        for (std::size_t place = 0; place < children.size(); ++place) {
            EXPECT_TRUE(seen.insert(children[place]).second) << "two parents";
            EXPECT_EQ(tree.parent(children[place]), host);
            EXPECT_EQ(tree.place_among_children(children[place]), static_cast<int>(place));
        }
    }
    EXPECT_EQ(static_cast<int>(seen.size()), hosts);
    switch (topology) {
        case iod::Topology::ring:
            EXPECT_EQ(deepest, hosts - 1);
            break;
        case iod::Topology::tree:
            EXPECT_LE(1 << deepest, hosts);
            break;
        case iod::Topology::star:
            EXPECT_LE(deepest, 1);
            break;
    }
}

TEST(Trees, ReachTheServerFromEveryNode) {
    for (const auto topology : {iod::Topology::ring, iod::Topology::tree, iod::Topology::star})
        for (int hosts = 1; hosts <= 17; ++hosts)
            for (int servers = 1; servers <= hosts; ++servers)
                for (int server = 0; server < servers; ++server) check_tree(topology, hosts, server, servers);
}

TEST(Trees, HaveTheirRootsOnDifferentHosts) {
    for (int hosts = 1; hosts <= 17; ++hosts)
        for (int servers = 1; servers <= hosts; ++servers) {
            std::set<int> roots;
            for (int server = 0; server < servers; ++server)
                roots.insert(Tree(iod::Topology::tree, hosts, server, servers).root());
            EXPECT_EQ(static_cast<int>(roots.size()), servers);
            EXPECT_EQ(Tree(iod::Topology::ring, hosts, 0, servers).root(), 0) << "rank 0's host has the first part of the file";
        }
}

}  // namespace
}  // namespace kumihimo::mpiio::catwalk
