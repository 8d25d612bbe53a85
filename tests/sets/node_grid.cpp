// Node arrays and templates on them, against nested loops.
#include "oracle.hpp"
#include "sets/mapping.hpp"

namespace {

using namespace oracle;

TEST(NodeGrid, NumbersFollowTheOrder) {
    for (const Order order : {Order::row_major, Order::column_major}) {
        const std::vector<Index> extents = {2, 3, 4};
        const NodeGrid grid(extents, order);
        Index number = 0;
        const int slow = order == Order::row_major ? 0 : 2, fast = 2 - slow;
        for (Index i = 0; i < extents[slow]; ++i) {
            for (Index j = 0; j < extents[1]; ++j) {
                for (Index k = 0; k < extents[fast]; ++k, ++number) {
                    std::vector<Index> at(3, j);
                    at[slow] = i;
                    at[fast] = k;
                    EXPECT_EQ(grid.number(at), number);
                    EXPECT_EQ(grid.coordinates(number), at);
                }
            }
        }
        EXPECT_EQ(grid.size(), number);
    }
    EXPECT_EQ(NodeGrid({}, Order::row_major).size(), 1);
    EXPECT_EQ(NodeGrid({2, 2}, Order::row_major).members({{0, 2, 1}, {0, 0, 1}}), std::vector<Index>{});
}

TEST(NodeGrid, SevenDimensionsThereAndBack) {
    for (const Order order : {Order::row_major, Order::column_major}) {
        const NodeGrid grid({2, 3, 1, 2, 4, 1, 3}, order);
        for (Index number = 0; number < grid.size(); ++number) EXPECT_EQ(grid.number(grid.coordinates(number)), number);
    }
}

TEST(NodeGrid, MembersOfEveryReference) {
    std::vector<Range> subscripts;
    for (Index first = 0; first < 4; ++first) {
        for (Index last = 0; last < 4; ++last) {
            for (const Index step : {-3, -2, -1, 1, 2, 3}) subscripts.push_back(Range::triplet(first, last, step));
        }
    }
    for (const Order order : {Order::row_major, Order::column_major}) {
        const NodeGrid grid({4, 5}, order);
        for (const Range& a : subscripts) {
            for (const Range& b : subscripts) {
                std::vector<Index> expected;
                const bool rows = order == Order::row_major;
                for (const Index slow : elements(rows ? a : b)) {
                    for (const Index fast : elements(rows ? b : a))
                        expected.push_back(rows ? slow * 5 + fast : slow * 4 + fast);
                }
                ASSERT_EQ(grid.members({a, b}), expected) << describe(a) << ", " << describe(b);
            }
        }
    }
}

TEST(TemplateMapping, OwnersOfSectionsAreAProduct) {
    const NodeGrid grid({3, 4}, Order::column_major);
    const TemplateMapping mapping(
        grid, {Distribution::cyclic(1, 20, 4, 2), Distribution::undistributed(0, 3), Distribution::gblock(-2, {3, 0, 4})},
        {1, -1, 0});
    const Case first = cyclic(1, 20, 4, 2), third = gblock(-2, {3, 0, 4});
    for (Index a = 1; a <= 20; a += 3) {
        for (Index step = 1; step <= 9; ++step) {
            for (Index c = -2; c <= 4; ++c) {
                const std::vector<Range> section = {Range::triplet(a, 20, step), {1, 1, 1}, {c, 1, 1}};
                const std::vector<IndexSet> owners = mapping.owners(section);
                ASSERT_EQ(owners.size(), 2u);
                Bits along_first = 0, along_third = bit(third.owner[c + 2]);
                for (const Index i : elements(section[0])) along_first |= bit(first.owner[i - 1]);
                bool sound = true;
                EXPECT_EQ(bits(owners[1], 0, sound), along_first);
                EXPECT_EQ(bits(owners[0], 0, sound), along_third);
                EXPECT_TRUE(sound);
            }
        }
    }
    for (const IndexSet& none : mapping.owners({{1, 5, 1}, {9, 1, 1}, {0, 1, 1}})) EXPECT_TRUE(none.empty());
}

TEST(TemplateMapping, UnusedNodeDimensionsTakePartWhole) {
    const TemplateMapping mapping(NodeGrid({2, 3}, Order::row_major), {Distribution::block(0, 9, 3)}, {1});
    const std::vector<IndexSet> owners = mapping.owners({{4, 1, 1}});
    EXPECT_EQ(owners[0].size(), 2);
    EXPECT_EQ(owners[1].pieces(), (std::vector<Piece>{{1, 1, 1, 1}}));
}

}  // namespace
