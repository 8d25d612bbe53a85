// Distributions against dealing, exhaustively: every extent up to 64 (32 with sanitizers), every node count up to 9, every
// block size, every step.
#include "sets/distribution.hpp"

#include <algorithm>

#include "oracle.hpp"
#include "tests/support/long_form.hpp"

namespace {

using namespace oracle;

constexpr Index largest_extent = kumihimo::support::sanitized ? 24 : 64, most_nodes = 9;

// visit(case) for every distribution; lower bounds vary with the extent.
template <typename Visit>
void for_every_distribution(Visit&& visit) {
    for (Index extent = 0; extent <= largest_extent; ++extent) {
        const Index lower = extent % 3 == 0 ? 0 : extent % 3 == 1 ? 1 : -extent / 2 - 7;
        for (Index nodes = 1; nodes <= most_nodes; ++nodes) {
            for (const Case& c : all_distributions(lower, extent, nodes)) {
                visit(c);
                if (testing::Test::HasFatalFailure()) return;
            }
        }
    }
}

void check_positions(const Case& c) {
    const Distribution& d = c.distribution;
    ASSERT_EQ(d.extent(), std::ssize(c.owner)) << describe(c);
    std::vector<Index> owned(d.nodes(), 0);  // so far, of each node
    for (Index i = 0; i < d.extent(); ++i) {
        const Index index = d.lower() + i, node = c.owner[i];
        for (Index other = 0; other < d.nodes(); ++other) {
            ASSERT_EQ(d.owned_before(other, index), owned[other]) << describe(c) << " node " << other << " index " << index;
        }
        ASSERT_EQ(d.owner(index), node) << describe(c) << " index " << index;
        ASSERT_EQ(d.to_local(index), owned[node]) << describe(c) << " index " << index;
        ASSERT_EQ(d.to_global(node, owned[node]), index) << describe(c) << " index " << index;
        ++owned[node];
    }
    for (Index node = 0; node < d.nodes(); ++node) {
        ASSERT_EQ(d.local_size(node), owned[node]) << describe(c) << " node " << node;
        ASSERT_EQ(d.owned(node).size(), owned[node]) << describe(c) << " node " << node;
        ASSERT_LE(d.owned(node).pieces().size(), 2u);
    }
}

TEST(Distribution, OwnersAndPositionsOfEveryIndex) {
    for_every_distribution(check_positions);
}

// One section for each step from -extent to extent; its bounds go through those inside, on and beyond the dimension's ends.
std::vector<Range> sections(const Distribution& d, Index turn) {
    std::vector<Range> result;
    for (Index step = -d.extent(); step <= d.extent(); ++step) {
        if (step == 0) continue;
        ++turn;
        const Index low = d.lower() + turn % 5 - 2, high = d.upper() - turn / 5 % 4 * d.extent() / 7 + turn % 2;
        result.push_back(step > 0 ? Range::triplet(low, high, step) : Range::triplet(high, low, step));
    }
    return result;
}

void check_section(const Case& c, const std::vector<Bits>& owned, const Range& section) {
    const Distribution& d = c.distribution;
    const std::vector<Index> in_order = elements(section);
    const Bits wanted = bits(in_order, d.lower());
    Index owners = 0;
    for (Index node = 0; node < d.nodes(); ++node) {
        const Bits expected = owned[node] & wanted;
        bool sound = true;
        const IndexSet part = d.owned(node, section);
        const bool equal = bits(part, d.lower(), sound) == expected && bits_of_runs(part, d.lower(), sound) == expected;
        ASSERT_TRUE(equal && sound) << describe(c) << " node " << node << " section " << oracle::describe(section);
        if (expected != 0) owners |= Index{1} << node;
    }
    bool sound = true;
    ASSERT_EQ(bits(d.owners(section), 0, sound), static_cast<Bits>(owners))
        << describe(c) << " section " << oracle::describe(section);
}

std::vector<Bits> owned_bits(const Case& c) {
    std::vector<Bits> result(c.distribution.nodes(), 0);
    for (std::size_t i = 0; i < c.owner.size(); ++i) result[c.owner[i]] |= bit(static_cast<Index>(i));
    return result;
}

TEST(Distribution, OwnedPartsOfSectionsWithEveryStep) {
    Index turn = 0;
    for_every_distribution([&](const Case& c) {
        const std::vector<Bits> owned = owned_bits(c);
        for (const Range& section : sections(c.distribution, turn)) check_section(c, owned, section);
        turn += 7;
    });
}

void check_order(const Case& c, const Range& section) {
    const Distribution& d = c.distribution;
    for (Index node = 0; node < d.nodes(); ++node) {
        const std::vector<Range> parts = expanded(d.owned_in_order(node, section));
        std::vector<Index> expected;
        for (const Index index : elements(section)) {
            if (index >= d.lower() && index <= d.upper() && c.owner[index - d.lower()] == node) expected.push_back(index);
        }
        ASSERT_EQ(elements(parts), expected) << describe(c) << " node " << node << " section " << oracle::describe(section);
        for (const Range& part : parts) {
            ASSERT_FALSE(part.empty());
            ASSERT_EQ(part.step > 0, section.step > 0);
            if (d.format() != Format::cyclic) {
                ASSERT_TRUE(part.count == 1 || part.step == section.step);
            }
        }
        if (d.format() != Format::cyclic || d.block_size() == 1 || d.nodes() == 1) {
            ASSERT_LE(parts.size(), 1u);
            continue;
        }
        std::vector<Index> blocks;  // one part for each block of the distribution
        for (const Range& part : parts) {
            blocks.push_back((part.first - d.lower()) / d.block_size());
            ASSERT_EQ(blocks.back(), (part.last() - d.lower()) / d.block_size());
            ASSERT_EQ(part.step, section.step);
        }
        ASSERT_EQ(std::unique(blocks.begin(), blocks.end()), blocks.end());
    }
}

TEST(Distribution, OwnedPartsInTheSectionsOrder) {
    Index turn = 0;
    for_every_distribution([&](const Case& c) {
        for (const Range& section : sections(c.distribution, turn)) check_order(c, section);
        turn += 3;
    });
}

// However long the dimension is.
TEST(Distribution, OwnedPartsInOrderAreFew) {
    const Index extent = Index{1} << 40;
    const Distribution d = Distribution::cyclic(0, extent - 1, 4, 1000);
    const std::pair<Index, std::size_t> steps_and_ranges[] = {{1, 1}, {2, 1}, {3, 3}, {7, 7}, {4001, 1000}};
    for (const auto& [step, most] : steps_and_ranges) {
        for (const Range section : {Range{123, (extent - 200) / step, step}, Range{extent - 1, extent / step, -step}}) {
            std::size_t ranges = 0;
            Index elements = 0;
            for (const Repetition& repetition : d.owned_in_order(2, section)) {
                ranges = std::max(ranges, repetition.ranges.size());
                for (const Range& range : repetition.ranges) elements += repetition.times * range.count;
            }
            EXPECT_LE(ranges, most + 2) << oracle::describe(section);
            EXPECT_EQ(elements, d.owned(2, section).size()) << oracle::describe(section);
        }
    }
}

TEST(Distribution, OneNodeHasOnePiece) {
    for (const Index width : {1, 4}) {
        const Distribution d = Distribution::cyclic(3, 1001, 1, width);
        EXPECT_EQ(d.owned(0).pieces(), (std::vector<Piece>{{3, 999, 999, 1}}));
        const std::vector<Repetition> parts = d.owned_in_order(0, {900, 100, -7});
        ASSERT_EQ(parts.size(), 1u);
        EXPECT_EQ(parts[0].ranges, (std::vector<Range>{{900, 100, -7}}));
    }
}

TEST(Distribution, DefaultBlockIsTheCeiling) {
    for (Index extent = 0; extent <= largest_extent; ++extent) {
        for (Index nodes = 1; nodes <= most_nodes; ++nodes) {
            Index size = 1;
            while (size * nodes < extent) ++size;
            EXPECT_EQ(Distribution::block(5, 4 + extent, nodes), Distribution::block(5, 4 + extent, nodes, size));
        }
    }
    EXPECT_EQ(Distribution::cyclic(0, 9, 4), Distribution::cyclic(0, 9, 4, 1));
}

TEST(Distribution, ShiftedTemplatesAgree) {
    EXPECT_TRUE(Distribution::block(0, 9, 3).same_up_to_shift(Distribution::block(5, 14, 3), 5));
    EXPECT_FALSE(Distribution::block(0, 9, 3).same_up_to_shift(Distribution::block(5, 14, 3), 4));
    EXPECT_FALSE(Distribution::block(0, 9, 3).same_up_to_shift(Distribution::block(0, 9, 3, 5), 0));
    EXPECT_FALSE(Distribution::block(0, 9, 10).same_up_to_shift(Distribution::cyclic(0, 9, 10), 0));
    EXPECT_TRUE(Distribution::gblock(1, {2, 0, 3}).same_up_to_shift(Distribution::gblock(0, {2, 0, 3}), -1));
    EXPECT_FALSE(Distribution::gblock(1, {2, 0, 3}).same_up_to_shift(Distribution::gblock(0, {2, 1, 2}), -1));
}

}  // namespace
