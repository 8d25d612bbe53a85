// Arrays of two and three dimensions on every combination of formats: owned products partition the array (once for each
// replica), and what a node allocates is a block whose view subscripts run without gaps.
#include <algorithm>
#include <set>

#include "oracle.hpp"
#include "sets/mapping.hpp"

namespace {

using namespace oracle;

// One dimension of a template with an array dimension on it, and the owner of each array index.
struct Line {
    Case target;
    Index lower, upper, offset;  // of the array
    Shadow shadow;
    Index owner(Index index) const { return target.owner[index + offset - target.distribution.lower()]; }
};

std::vector<Line> lines(Index nodes) {
    std::vector<Line> result;
    const std::vector<Case> cases = {block(1, 11, nodes, (11 + nodes - 1) / nodes), block(0, 6, nodes, 5 + (nodes == 1)),
                                     cyclic(0, 13, nodes, 1), cyclic(-4, 14, nodes, 3), gblock(2, gblock_sizes(9, nodes)[1])};
    for (const Case& c : cases) {
        const Distribution& d = c.distribution;
        const bool shadowed = d.format() != Format::cyclic;
        result.push_back({c, d.lower(), d.upper(), 0, {}});
        result.push_back({c, 3, 3 + d.extent() - 4, d.lower() - 1, shadowed ? Shadow{2, 1} : Shadow{}});
        result.push_back({c, -5, -5 + d.extent() - 2, d.lower() + 6, Shadow{0, 0, true}});
        result.push_back({c, 0, -1, d.lower(), shadowed ? Shadow{1, 1} : Shadow{}});
    }
    return result;
}

ArrayMapping map_lines(const std::vector<Line>& lines, Order order) {
    std::vector<Index> extents, lower, upper;
    std::vector<Distribution> dimensions;
    std::vector<Alignment> alignment;
    std::vector<Shadow> shadow;
    std::vector<int> onto;
    const int rank = static_cast<int>(lines.size());
    for (int d = 0; d < rank; ++d) {
        const int across = rank - 1 - d;  // template and node dimensions in opposite order: a permutation
        extents.push_back(lines[d].target.distribution.nodes());
        dimensions.push_back(lines[across].target.distribution);
        onto.push_back(across);
        lower.push_back(lines[d].lower);
        upper.push_back(lines[d].upper);
        alignment.push_back({across, lines[d].offset});
        shadow.push_back(lines[d].shadow);
    }
    return {TemplateMapping(NodeGrid(extents, order), dimensions, onto), lower, upper, alignment, shadow, order};
}

void check_view(const ArrayMapping& array, const Line& line, int d, Index coordinate) {
    const Index allocated = array.allocated_size(d, coordinate), origin = array.view_origin(d, coordinate);
    std::vector<Index> owned;
    for (Index i = line.lower; i <= line.upper; ++i) {
        if (line.owner(i) == coordinate) owned.push_back(i);
    }
    ASSERT_EQ(array.owned_size(d, coordinate), std::ssize(owned));
    if (line.shadow.full) {  // local index = global index, whole dimension
        ASSERT_EQ(allocated, line.upper - line.lower + 1);
        ASSERT_EQ(origin, line.lower);
        for (Index i = line.lower; i <= line.upper; ++i) ASSERT_EQ(array.allocated_offset(d, coordinate, i), i - line.lower);
        return;
    }
    if (owned.empty()) {
        ASSERT_EQ(allocated, 0);
        return;
    }
    ASSERT_EQ(allocated, std::ssize(owned) + line.shadow.lower + line.shadow.upper);
    for (std::size_t k = 0; k < owned.size(); ++k) {  // bijective, in order, onto the block inside the shadow
        ASSERT_EQ(array.allocated_offset(d, coordinate, owned[k]), static_cast<Index>(k) + line.shadow.lower)
            << describe(line.target);
    }
    if (array.format(d) == Format::cyclic) {
        // Decision view-subscripts, as generated code computes it (XMP_Subscript).
        const Distribution& t = line.target.distribution;
        for (const Index i : owned) {
            const Index T = i + line.offset - t.lower(), n = t.block_size(), P = t.nodes();
            ASSERT_EQ(array.view_subscript(d, i), T / (n * P) * n + T % n);
        }
    } else {
        for (Index i = owned.front() - line.shadow.lower; i <= owned.back() + line.shadow.upper; ++i) {
            ASSERT_EQ(array.view_subscript(d, i), i);
            ASSERT_EQ(array.allocated_offset(d, coordinate, i), i - (owned.front() - line.shadow.lower));
        }
    }
}

TEST(ArrayMapping, ViewsOfEveryLine) {
    for (Index nodes = 1; nodes <= 5; ++nodes) {
        for (const Line& line : lines(nodes)) {
            const ArrayMapping array = map_lines({line}, Order::row_major);
            for (Index coordinate = 0; coordinate < nodes; ++coordinate) {
                check_view(array, line, 0, coordinate);
                if (HasFatalFailure()) return;
            }
        }
    }
}

// How often each element of the array is owned, over all nodes of the grid.
std::vector<int> times_owned(const ArrayMapping& array) {
    Index volume = 1;
    for (int d = 0; d < array.rank(); ++d) volume *= array.extent(d);
    std::vector<int> times(volume, 0);
    const NodeGrid& grid = array.target().grid();
    for (Index node = 0; node < grid.size(); ++node) {
        const std::vector<Index> coordinates = grid.coordinates(node);
        std::vector<Index> places = {0};
        for (int d = 0; d < array.rank(); ++d) {
            const Index coordinate = array.node_dimension(d) < 0 ? 0 : coordinates[array.node_dimension(d)];
            std::vector<Index> longer;
            for (const Index place : places) {
                for (const Index i : elements(array.owned(d, coordinate).runs()))
                    longer.push_back(place * array.extent(d) + i - array.lower(d));
            }
            places = longer;
        }
        for (const Index place : places) ++times[place];
    }
    return times;
}

TEST(ArrayMapping, OwnedProductsPartitionArraysOfRankTwo) {
    for (const Index rows : {1, 3}) {
        for (const Index columns : {2, 4}) {
            for (const Line& a : lines(rows)) {
                for (const Line& b : lines(columns)) {
                    const ArrayMapping array = map_lines({a, b}, Order::column_major);
                    EXPECT_TRUE(array.replicated_node_dimensions().empty());
                    for (const int times : times_owned(array))
                        ASSERT_EQ(times, 1) << describe(a.target) << " x " << describe(b.target);
                    for (Index p = 0; p < rows; ++p) check_view(array, a, 0, p);
                    for (Index p = 0; p < columns; ++p) check_view(array, b, 1, p);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(ArrayMapping, OwnedProductsPartitionArraysOfRankThree) {
    const std::vector<Line> a = lines(2), b = lines(3), c = lines(4);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t k = (3 * i + 7 * j) % c.size();
            const ArrayMapping array = map_lines({a[i], b[j], c[k]}, Order::row_major);
            for (const int times : times_owned(array)) ASSERT_EQ(times, 1);
        }
    }
}

TEST(ArrayMapping, SectionsOfEveryLine) {
    for (const Line& line : lines(4)) {
        const ArrayMapping array = map_lines({line}, Order::row_major);
        for (Index step = -6; step <= 6; ++step) {
            if (step == 0) continue;
            for (Index low = line.lower - 2; low <= line.upper + 1; ++low) {
                const Range section =
                    step > 0 ? Range::triplet(low, line.upper + 2, step) : Range::triplet(line.upper + 1, low, step);
                for (Index node = 0; node < 4; ++node) {
                    std::set<Index> expected;
                    for (const Index i : elements(section)) {
                        if (i >= line.lower && i <= line.upper && line.owner(i) == node) expected.insert(i);
                    }
                    const std::vector<Index> owned = elements(array.owned(0, node, section).runs());
                    ASSERT_EQ(owned, std::vector<Index>(expected.begin(), expected.end())) << describe(section);
                }
            }
        }
    }
}

TEST(ArrayMapping, UnnamedDimensionsReplicate) {
    // A vector along the second of three node dimensions: 2 * 4 copies of each element.
    const NodeGrid grid({2, 3, 4}, Order::row_major);
    const TemplateMapping target(
        grid, {Distribution::block(0, 9, 2), Distribution::cyclic(0, 10, 3, 2), Distribution::block(1, 8, 4)}, {0, 1, 2});
    const ArrayMapping vector(target, {1}, {9}, {{1, 0}}, {{}}, Order::row_major);
    EXPECT_EQ(vector.replicated_node_dimensions(), (std::vector<int>{0, 2}));
    for (const int times : times_owned(vector)) EXPECT_EQ(times, 8);
    // Collapsed: both dimensions whole on every node.
    const ArrayMapping collapsed(target, {1, 0}, {9, 2}, {{}, {}}, {{2, 3}, {}}, Order::row_major);
    EXPECT_EQ(collapsed.replicated_node_dimensions(), (std::vector<int>{0, 1, 2}));
    for (const int times : times_owned(collapsed)) EXPECT_EQ(times, 24);
    EXPECT_EQ(collapsed.allocated_size(0, 0), 14);
    EXPECT_EQ(collapsed.view_origin(0, 0), -1);
    EXPECT_EQ(collapsed.view_subscript(0, 5), 5);
}

TEST(ArrayMapping, UndistributedTemplateDimensionIsOnEveryNode) {
    const TemplateMapping target(NodeGrid({3}, Order::row_major),
                                 {Distribution::undistributed(5, 20), Distribution::block(0, 5, 3)}, {-1, 0});
    const ArrayMapping array(target, {0, 0}, {9, 5}, {{0, 7}, {1, 0}}, {{1, 1}, {}}, Order::row_major);
    EXPECT_EQ(array.node_dimension(0), -1);
    for (Index node = 0; node < 3; ++node) {
        EXPECT_EQ(array.owned(0, node).size(), 10);
        EXPECT_EQ(array.allocated_size(0, node), 12);
        EXPECT_EQ(array.view_origin(0, node), -1);
    }
    for (const int times : times_owned(array)) EXPECT_EQ(times, 1);
}

TEST(ArrayMapping, SevenDimensions) {
    std::vector<Line> seven;
    for (int d = 0; d < 7; ++d) seven.push_back({cyclic(d, 3, 2, 1), d, d + 2, 0, {}});
    const ArrayMapping array = map_lines(seven, Order::column_major);
    for (const int times : times_owned(array)) ASSERT_EQ(times, 1);
}

TEST(ArrayMapping, SameLayout) {
    const NodeGrid grid({3}, Order::row_major);
    const auto array = [&](Distribution d, Index offset, Shadow shadow, Order order = Order::row_major) {
        return ArrayMapping(TemplateMapping(grid, {d}, {0}), {0}, {7}, {{0, offset}}, {shadow}, order);
    };
    const ArrayMapping mine = array(Distribution::block(0, 9, 3), 0, {1, 1});
    EXPECT_TRUE(mine.same_layout(mine));
    EXPECT_TRUE(mine.same_layout(array(Distribution::block(1, 10, 3), 1, {1, 1})));  // another template, shifted
    EXPECT_TRUE(mine.same_layout(array(Distribution::block(0, 11, 3), 0, {1, 1})));  // longer, blocks of 4 too
    const auto from_five = [&](Index offset) {
        return ArrayMapping(TemplateMapping(grid, {Distribution::block(0, 9, 3)}, {0}), {5}, {12}, {{0, offset}}, {{1, 1}},
                            Order::row_major);
    };
    EXPECT_FALSE(mine.same_layout(from_five(-5)));
    EXPECT_TRUE(mine.same_blocks(from_five(-5)));
    EXPECT_FALSE(mine.same_blocks(from_five(-4)));
    EXPECT_FALSE(mine.same_layout(array(Distribution::block(0, 9, 3), 1, {1, 1})));  // other owners
    EXPECT_FALSE(mine.same_layout(array(Distribution::block(0, 9, 3), 0, {1, 0})));  // other shadow
    EXPECT_FALSE(mine.same_layout(array(Distribution::block(0, 9, 3, 5), 0, {1, 1})));
    EXPECT_FALSE(mine.same_layout(array(Distribution::block(0, 9, 3), 0, {1, 1}, Order::column_major)));
    const ArrayMapping shorter(TemplateMapping(grid, {Distribution::block(0, 9, 3)}, {0}), {0}, {6}, {{0, 0}}, {{1, 1}},
                               Order::row_major);
    EXPECT_FALSE(mine.same_layout(shorter));
}

}  // namespace
