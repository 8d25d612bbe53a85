// Loop bounds against a serial loop that asks for each iteration who owns it.
#include "program.hpp"
#include "runtime/globalview/progression.hpp"

namespace kumihimo::test {
namespace {

struct Iteration {
    Index index, position;
    bool operator==(const Iteration&) const = default;
};
std::ostream& operator<<(std::ostream& stream, const Iteration& one) {
    return stream << one.index << "@" << one.position;
}

void append(std::vector<Iteration>& list, const XMP_Iterations& part) {
    for (Index k = 0; k < part.count; ++k) list.push_back({part.first + k * part.step, part.position + k * part.position_step});
}

struct Loop {
    Index first, last, step, offset;

    static Loop random(Random& random, const TestDimension& dimension) {
        Loop loop;
        loop.offset = random.between(-3, 3);
        loop.step = random.between(1, random.one_in(2) ? 1 : 9);
        loop.first = random.between(dimension.lower, dimension.upper) - loop.offset;
        loop.last = random.between(dimension.lower, dimension.upper) - loop.offset;
        if (random.one_in(2)) loop.step = -loop.step;
        if (random.one_in(8)) return loop;  // often empty
        if ((loop.last < loop.first) != (loop.step < 0)) std::swap(loop.first, loop.last);
        return loop;
    }

    std::vector<Iteration> expected(const TestDimension& dimension, Index coordinate) const {
        std::vector<Iteration> list;
        for (Index i = first; step > 0 ? i <= last : i >= last; i += step)
            if (dimension.owner(i + offset) == coordinate) list.push_back({i, dimension.position(i + offset)});
        return list;
    }
};

std::vector<Iteration> in_blocks(const XMP_Template* target, int dimension, const Loop& loop) {
    std::vector<Iteration> list;
    XMP_Iterations part;
    for (XMP_Blocks blocks =
             XMP_Loop_blocks(XMP_SITE("loop"), target, dimension, loop.first, loop.last, loop.step, loop.offset);
         XMP_Loop_next(&blocks, &part);) {
        EXPECT_GT(part.count, 0) << "an empty block";
        append(list, part);
    }
    return list;
}

// A loop over several blocks of cyclic(n) in one piece: its positions follow each other, its indices do not.
void expect_consecutive_positions(const XMP_Iterations& one, const std::vector<Iteration>& expected,
                                  const testing::Message& text) {
    ASSERT_EQ(one.count, static_cast<Index>(expected.size())) << text;
    for (Index k = 0; k < one.count; ++k)
        ASSERT_EQ(one.position + k * one.position_step, expected[static_cast<std::size_t>(k)].position) << text;
    if (expected.empty()) return;
    EXPECT_EQ(one.first, expected.front().index) << text;
    EXPECT_EQ(one.last, expected.back().index) << text;
}

TEST(Loop, EveryDistributionAgainstASerialLoop) {
    Random random(1);
    for (int round = 0; round < 400; ++round) {
        const std::vector<Index> grid = random_grid(random, 2);
        XMP_Nodes* nodes = declare_nodes(grid);
        std::vector<TestDimension> dimensions;
        std::vector<XMP_Bounds> bounds;
        std::vector<XMP_Format> formats;
        for (std::size_t g = 0; g <= grid.size(); ++g) {  // one more, not distributed
            dimensions.push_back(TestDimension::random(random, g < grid.size() ? grid[g] : 1, 60));
            if (g == grid.size()) dimensions.back().kind = XMP_NOT_DISTRIBUTED;
            bounds.push_back({dimensions.back().lower, dimensions.back().upper});
        }
        for (std::size_t g = 0; g < dimensions.size(); ++g) formats.push_back(dimensions[g].format(static_cast<int>(g)));
        XMP_Template* target = declare_template(nodes, bounds, formats);
        for (std::size_t d = 0; d < dimensions.size(); ++d)
            for (int repeat = 0; repeat < 6; ++repeat) {
                const Loop loop = Loop::random(random, dimensions[d]);
                const Index coordinate = d < grid.size() ? nodes->coordinates[d] : 0;
                const std::vector<Iteration> expected = loop.expected(dimensions[d], coordinate);
                const auto text = [&] {
                    return testing::Message()
                           << loop.first << ":" << loop.last << ":" << loop.step << " offset " << loop.offset << " on kind "
                           << dimensions[d].kind << " size " << dimensions[d].size << " of " << dimensions[d].lower << ":"
                           << dimensions[d].upper << " node " << coordinate << " of " << dimensions[d].nodes;
                };
                EXPECT_EQ(in_blocks(target, static_cast<int>(d), loop), expected) << text();
                const bool blocks = dimensions[d].kind == XMP_CYCLIC && dimensions[d].size > 1 && dimensions[d].nodes > 1;
                if (blocks && loop.step != 1 && loop.step != -1) continue;
                const XMP_Iterations one =
                    XMP_Loop(XMP_SITE("loop"), target, static_cast<int>(d), loop.first, loop.last, loop.step, loop.offset);
                if (blocks) {
                    expect_consecutive_positions(one, expected, text());
                    continue;
                }
                std::vector<Iteration> list;
                append(list, one);
                EXPECT_EQ(list, expected) << text();
                EXPECT_EQ(one.first + one.count * one.step, one.last + one.step) << text();
            }
        XMP_Template_release(&target);
        XMP_Nodes_release(&nodes);
    }
}

TEST(Loop, OnNodes) {
    Random random(2);
    for (int round = 0; round < 50; ++round) {
        XMP_Nodes* nodes = declare_nodes(random_grid(random, 3));
        for (int d = 0; d < nodes->grid.rank(); ++d) {
            TestDimension dimension;
            dimension.upper = nodes->grid.extents()[d] - 1;
            const Loop loop = Loop::random(random, dimension);
            std::vector<Iteration> expected, list;
            for (Index i = loop.first; loop.step > 0 ? i <= loop.last : i >= loop.last; i += loop.step)
                if (i + loop.offset == nodes->coordinates[d]) expected.push_back({i, i + loop.offset});
            append(list, XMP_Loop_nodes(XMP_SITE("loop"), nodes, d, loop.first, loop.last, loop.step, loop.offset));
            EXPECT_EQ(list, expected);
        }
        XMP_Nodes_release(&nodes);
    }
}

TEST(Loop, BoundThatIsNoIterationMayLieOutside) {
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    XMP_Template* target = declare_template(nodes, {{0, 9}}, {XMP_FORMAT_BLOCK(0, 0)});
    const XMP_Iterations part = XMP_Loop(XMP_SITE("loop"), target, 0, 0, 11, 3, 0);  // 0 3 6 9
    int mine = static_cast<int>(part.count), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all, 4);
    XMP_Template_release(&target);
    XMP_Nodes_release(&nodes);
}

TEST(Loop, MultiplesInWindowsExhaustively) {
    for (Index modulus = 1; modulus <= 20; ++modulus)
        for (Index a = 0; a < modulus; ++a)
            for (Index lowest = 0; lowest < modulus; ++lowest)
                for (Index highest = lowest; highest < modulus; ++highest) {
                    Index expected = -1;
                    for (Index k = 0; k < modulus && expected < 0; ++k)
                        if (a * k % modulus >= lowest && a * k % modulus <= highest) expected = k;
                    ASSERT_EQ(globalview::first_multiple_in_window(a, modulus, lowest, highest), expected)
                        << a << " " << modulus << " " << lowest << " " << highest;
                }
}

}  // namespace
}  // namespace kumihimo::test
