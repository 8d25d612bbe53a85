// What a node holds of sections, against a walk through all elements of the section: arrays of one to three dimensions on every
// format, shadows, replicas, steps of both signs, both orders.
#include "sets/section_extents.hpp"

#include <random>

#include "oracle.hpp"

namespace {

using namespace oracle;

constexpr Index element_bytes = 4;

// Dimensions of the array and, where they are distributed, of the template and of the nodes, with the owners of all indices.
struct Dimension {
    Case target;
    Index lower, upper, offset;
    Shadow shadow;
    bool distributed;
};

struct Choice {
    std::mt19937_64 random;
    Index operator()(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); }
};

Dimension random_line(Choice& choose, Index nodes) {
    const Index extent = choose(6, 29), lower = choose(-9, 9);
    const Case targets[] = {block(lower, extent, nodes, (extent + nodes - 1) / nodes), cyclic(lower, extent, nodes, 1),
                            cyclic(lower, extent, nodes, choose(2, 5)), gblock(lower, gblock_sizes(extent, nodes)[1])};
    Dimension line{targets[choose(0, 3)], lower + choose(0, 2), lower + extent - 1 - choose(0, 2), 0, {}, choose(0, 4) > 0};
    if (const Index moved = choose(-5, 5); line.distributed) {
        line.lower += moved, line.upper += moved, line.offset = -moved;
    }
    const bool cyclic = line.distributed && line.target.distribution.format() == Format::cyclic;
    if (choose(0, 3) == 0)
        line.shadow.full = true;
    else if (!cyclic)
        line.shadow = {choose(0, 2), choose(0, 2)};
    return line;
}

Range random_section(Choice& choose, const Dimension& line) {
    const Index low = choose(line.lower, line.upper), high = choose(low, line.upper), step = choose(1, 4) * choose(1, 2);
    return choose(0, 1) == 0 ? Range::triplet(low, high, step) : Range::triplet(high, low, -step);
}

// The array of the lines; a dimension of nodes besides them replicates it.
ArrayMapping mapping_of(const std::vector<Dimension>& lines, Order order) {
    std::vector<Index> grid{2}, lower, upper;
    std::vector<Distribution> dimensions;
    std::vector<int> onto;
    std::vector<Alignment> alignment;
    std::vector<Shadow> shadow;
    for (const Dimension& line : lines) {
        alignment.push_back(line.distributed ? Alignment{static_cast<int>(dimensions.size()), line.offset} : Alignment{});
        dimensions.push_back(line.target.distribution);
        onto.push_back(static_cast<int>(grid.size()));
        grid.push_back(line.target.distribution.nodes());
        lower.push_back(line.lower), upper.push_back(line.upper), shadow.push_back(line.shadow);
    }
    return {TemplateMapping(NodeGrid(grid, order), dimensions, onto), lower, upper, alignment, shadow, order};
}

std::vector<Index> offsets_of(const Extents& extents) {
    std::vector<Index> offsets;
    extents.for_each(0, extents.size(), [&](const Blocks& blocks) {
        for (Index i = 0; i < blocks.count; ++i)
            for (Index j = 0; j < blocks.length; j += element_bytes) offsets.push_back(blocks.offset + i * blocks.stride + j);
    });
    return offsets;
}

struct Expected {
    std::vector<Index> section, block;
};

// Goes through the section in its order, slowest dimension first.
void walk(const std::vector<Dimension>& lines, const ArrayMapping& mapping, const std::vector<Range>& section,
          const std::vector<Index>& coordinates, std::size_t depth, Index position, Index offset, Expected& expected) {
    if (depth == lines.size()) {
        expected.section.push_back(position * element_bytes);
        expected.block.push_back(offset * element_bytes);
        return;
    }
    const std::size_t d = mapping.order() == Order::row_major ? depth : lines.size() - 1 - depth;
    const Dimension& line = lines[d];
    const Index coordinate = coordinates[d + 1];
    Index k = 0;
    for (const Index index : elements(section[d])) {
        const Index at = line.distributed ? index + line.offset - line.target.distribution.lower() : 0;
        const bool mine = !line.distributed || line.target.owner[static_cast<std::size_t>(at)] == coordinate;
        const int place = static_cast<int>(d);
        if (mine)
            walk(lines, mapping, section, coordinates, depth + 1, position * section[d].count + k,
                 offset * mapping.allocated_size(place, coordinate) + mapping.allocated_offset(place, coordinate, index),
                 expected);
        ++k;
    }
}

TEST(SectionExtents, AreTheOwnedElementsInTheOrderOfTheSection) {
    const char* const given = std::getenv("KUMIHIMO_TEST_SEED");
    const unsigned long seed = given != nullptr ? std::strtoul(given, nullptr, 10) : std::random_device{}();
    SCOPED_TRACE("KUMIHIMO_TEST_SEED=" + std::to_string(seed));
    Choice choose{std::mt19937_64(seed)};
    for (int turn = 0; turn < 600; ++turn) {
        std::vector<Dimension> lines;
        std::vector<Range> section;
        const Index rank = choose(1, 3);
        for (Index d = 0; d < rank; ++d) {
            lines.push_back(random_line(choose, choose(1, 4)));
            section.push_back(random_section(choose, lines.back()));
        }
        const ArrayMapping mapping = mapping_of(lines, choose(0, 1) == 0 ? Order::row_major : Order::column_major);
        const NodeGrid& grid = mapping.target().grid();
        for (Index node = 0; node < grid.size(); ++node) {
            const std::vector<Index> coordinates = grid.coordinates(node);
            const SectionExtents found = section_extents(mapping, element_bytes, section, coordinates);
            Expected expected;
            walk(lines, mapping, section, coordinates, 0, 0, 0, expected);
            ASSERT_EQ(offsets_of(found.section), expected.section) << "turn " << turn << " node " << node;
            ASSERT_EQ(offsets_of(found.block), expected.block) << "turn " << turn << " node " << node;
            ASSERT_TRUE(found.section.ascending()) << "turn " << turn << " node " << node;
        }
    }
}

// 10^8 doubles, cyclic(4) on 4 nodes: a few loops.
TEST(SectionExtents, AreSmallForLongArrays) {
    const Index extent = 100'000'000;
    const TemplateMapping target(NodeGrid({4}, Order::row_major), {Distribution::cyclic(0, extent - 1, 4, 4)}, {0});
    const ArrayMapping mapping(target, {0}, {extent - 1}, {{0, 0}}, {{}}, Order::row_major);
    const SectionExtents found = section_extents(mapping, 8, {Range{0, extent, 1}}, {1});
    EXPECT_EQ(found.section.size(), extent / 4 * 8);
    EXPECT_TRUE(found.block.contiguous());
    int nests = 0;
    found.section.for_each_nest(0, found.section.size(), [&](const Nest&) { ++nests; });
    EXPECT_EQ(nests, 1);
}

}  // namespace
