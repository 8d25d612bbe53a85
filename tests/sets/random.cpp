// Random cases far beyond the exhaustive ones. A run prints its seed; KUMIHIMO_TEST_SEED=<number> repeats it.
#include "tests/support/random.hpp"

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <iostream>
#include <random>

#include "oracle.hpp"
#include "sets/mapping.hpp"
#include "tests/support/long_form.hpp"

namespace {

using namespace oracle;

class Random : public testing::Test {
protected:
    Index between(Index low, Index high) { return random_.between(low, high); }
    // All magnitudes alike: as likely below 10 as near 10^18.
    Index magnitude(Index low, Index high) {
        const Index bits = between(0, 62);
        return std::clamp(between(0, (Index{1} << bits) - 1 + (bits == 0)), low, high);
    }
    Index sign() { return between(0, 1) == 0 ? 1 : -1; }

    kumihimo::support::Random random_;
};

// Oracle sets: elements 0..window-1 as a bitset.
constexpr Index window = 1024;
using Window = std::bitset<window>;

Window window_of(const IndexSet& set, Index lower, bool& sound) {
    Window result;
    Index end = lower - 1, size = 0;
    RunCursor cursor(set);
    for (Run run; cursor.next(run);) {
        sound = sound && run.first > end && run.length >= 1 && run.first + run.length <= lower + window;
        if (!sound) return result;
        end = run.first + run.length;
        size += run.length;
        for (Index i = run.first; i < end; ++i) result.set(i - lower);
    }
    sound = sound && size == set.size();
    return result;
}

TEST_F(Random, ChainsOfIntersections) {
    for (int round = 0; round < kumihimo::support::rounds(60'000); ++round) {
        const Index lower = between(-500, 500), extent = between(0, window);
        IndexSet set = IndexSet::interval(lower, lower + extent - 1);
        Window expected;
        for (Index i = 0; i < extent; ++i) expected.set(i);
        std::string history = "lower " + std::to_string(lower) + " extent " + std::to_string(extent);
        for (Index link = between(1, 4); link > 0; --link) {
            Window next;
            if (between(0, 2) == 0) {
                const Index step = sign() * between(1, between(1, extent + 1));
                const Index a = lower + between(0, extent), b = lower + between(0, extent);
                const Range section = Range::triplet(step > 0 ? std::min(a, b) : std::max(a, b),
                                                     step > 0 ? std::max(a, b) : std::min(a, b), step);
                for (const Index i : elements(section)) {
                    if (i - lower < window) next.set(i - lower);
                }
                set = set.intersect(IndexSet::of(section));
                history += "; section " + describe(section);
            } else {
                const Index nodes = between(1, 20), size = between(1, between(1, extent + 1));
                const bool dealt = size * nodes < extent || between(0, 1) == 0;
                const Case c = dealt ? cyclic(lower, extent, nodes, size) : block(lower, extent, nodes, size);
                const Index node = between(0, nodes - 1);
                for (Index i = 0; i < extent; ++i) next.set(i, c.owner[i] == node);
                set = set.intersect(c.distribution.owned(node));
                history += "; " + describe(c) + " node " + std::to_string(node);
            }
            expected &= next;
        }
        bool sound = true;
        ASSERT_TRUE(window_of(set, lower, sound) == expected && sound) << history;
    }
}

TEST_F(Random, GblockAndArraysAgainstDealing) {
    for (int round = 0; round < 20'000; ++round) {
        const Index nodes = between(1, 12), lower = between(-1000, 1000);
        std::vector<Index> sizes;
        for (Index node = 0; node < nodes; ++node) sizes.push_back(between(0, 2) == 0 ? 0 : between(0, 20));
        Index extent = 0;
        for (const Index size : sizes) extent += size;
        const int kind = static_cast<int>(between(0, 2));
        const Index size = between(1, 12);
        const Case c = kind == 0   ? gblock(lower, sizes)
                       : kind == 1 ? cyclic(lower, extent, nodes, size)
                                   : block(lower, extent, nodes, std::max(size, (extent + nodes - 1) / nodes));
        const Index begin = between(0, extent), end = between(begin, extent), offset = between(-3000, 3000);
        const Shadow shadow = kind == 1 ? Shadow{} : Shadow{between(0, 3), between(0, 3)};
        const ArrayMapping array(TemplateMapping(NodeGrid({nodes}, Order::row_major), {c.distribution}, {0}),
                                 {lower + begin - offset}, {lower + end - 1 - offset}, {{0, offset}}, {shadow},
                                 Order::row_major);
        Index total = 0;
        for (Index node = 0; node < nodes; ++node) {
            Index k = 0;
            for (Index i = begin; i < end; ++i) {
                if (c.owner[i] != node) continue;
                ASSERT_EQ(array.allocated_offset(0, node, lower + i - offset), shadow.lower + k++) << describe(c);
            }
            ASSERT_EQ(array.owned_size(0, node), k) << describe(c);
            ASSERT_EQ(array.owned(0, node).size(), k) << describe(c);
            ASSERT_EQ(array.allocated_size(0, node), k == 0 ? 0 : k + shadow.lower + shadow.upper);
            total += k;
        }
        ASSERT_EQ(total, end - begin);
    }
}

// Dimensions up to 2^62, where every index cannot be visited: samples, and sums that must come out.
class Huge : public Random {
protected:
    Distribution distribution(Index lower, Index upper) {
        const Index extent = upper - lower + 1, nodes = between(1, 12);
        switch (between(0, 3)) {
            case 0:
                return Distribution::block(lower, upper, nodes);
            case 1:
                return Distribution::block(lower, upper, nodes, extent / nodes + magnitude(1, extent));
            case 2:
                return Distribution::cyclic(lower, upper, nodes, between(1, 40));
            default:
                break;
        }
        return Distribution::cyclic(lower, upper, nodes, std::max<Index>(1, extent / between(1, 40)) + between(0, 9));
    }
    Range section(Index lower, Index upper) {
        const Index step = magnitude(1, upper - lower + 1);
        const Index a = between(lower, upper), b = between(lower, upper);
        return between(0, 1) == 0 ? Range::triplet(std::min(a, b), std::max(a, b), step)
                                  : Range::triplet(std::max(a, b), std::min(a, b), -step);
    }
    Index element(const IndexSet& set) {
        const Piece& piece = set.pieces()[between(0, std::ssize(set.pieces()) - 1)];
        return piece.first + between(0, piece.blocks - 1) * piece.period + between(0, piece.length - 1);
    }
};

TEST_F(Huge, PositionsAndSums) {
    for (int round = 0; round < 20'000; ++round) {
        const Index extent = magnitude(1, Index{1} << 62);
        const Index lower = between(-(Index{1} << 62), (Index{1} << 62) - extent), upper = lower + extent - 1;
        const Distribution d = distribution(lower, upper);
        Index total = 0;
        for (Index node = 0; node < d.nodes(); ++node) {
            ASSERT_EQ(d.owned(node).size(), d.local_size(node));
            total += d.local_size(node);
        }
        ASSERT_EQ(total, extent) << lower << ":" << upper;
        for (int sample = 0; sample < 4; ++sample) {
            const Index index = between(lower, upper), node = d.owner(index);
            ASSERT_TRUE(node >= 0 && node < d.nodes());
            ASSERT_EQ(d.to_global(node, d.to_local(index)), index);
            ASSERT_EQ(d.owned_before(node, index), d.to_local(index));
            for (Index other = 0; other < d.nodes(); ++other) ASSERT_EQ(d.owned(other).contains(index), other == node);
        }
    }
}

TEST_F(Huge, SectionsAndIntersections) {
    for (int round = 0; round < 20'000; ++round) {
        const Index extent = magnitude(1, Index{1} << 62);
        const Index lower = between(-(Index{1} << 62), (Index{1} << 62) - extent), upper = lower + extent - 1;
        const Distribution a = distribution(lower, upper), b = distribution(lower, upper);
        const Range part = section(lower, upper);
        const IndexSet wanted = IndexSet::of(part);
        // The nodes' parts of a section, and the parts of those that the other distribution's nodes own, add up.
        Index total = 0;
        const Index watched = between(0, a.nodes() - 1);
        for (Index p = 0; p < a.nodes(); ++p) {
            const IndexSet owned = a.owned(p, part);
            total += owned.size();
            if (!owned.empty()) {
                const Index index = element(owned);
                ASSERT_TRUE(part.contains(index));
                ASSERT_EQ(a.owner(index), p);
            }
            if (p != watched) continue;
            Index both_total = 0;
            for (Index q = 0; q < b.nodes(); ++q) {
                const IndexSet both = a.owned(p).intersect(b.owned(q));
                both_total += both.size();
                if (both.empty()) continue;
                const Index index = element(both);
                ASSERT_TRUE(a.owner(index) == p && b.owner(index) == q);
                ASSERT_EQ(both.intersect(wanted).contains(index), part.contains(index));
            }
            ASSERT_EQ(both_total, a.local_size(p)) << lower << ":" << upper;
        }
        ASSERT_EQ(total, part.count) << lower << ":" << upper << " section " << describe(part);
    }
}

}  // namespace
