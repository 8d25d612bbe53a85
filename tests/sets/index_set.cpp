// Index sets against bits: every pair of pieces in a small window, with the promised bound on the number of pieces, and every
// pair of owned sets of selected dimensions.
#include "sets/index_set.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>

#include "oracle.hpp"

namespace {

using namespace oracle;

std::vector<Piece> all_pieces(Index window) {
    std::vector<Piece> result;
    for (Index first = 0; first < window; ++first) {
        for (Index length = 1; first + length <= window; ++length) {
            result.push_back({first, length, length, 1});
            for (Index period = length + 1; period <= window; ++period) {
                for (Index blocks = 2; first + (blocks - 1) * period + length <= window; ++blocks) {
                    result.push_back({first, length, period, blocks});
                }
            }
        }
    }
    return result;
}

Index blocks_meeting(const Piece& piece, Index low, Index high) {
    Index count = 0;
    for (Index block = 0; block < piece.blocks; ++block) {
        const Index begin = piece.first + block * piece.period;
        if (begin <= high && begin + piece.length - 1 >= low) ++count;
    }
    return count;
}

Index promised_pieces(const Piece& a, const Piece& b) {
    const Index low = std::max(a.first, b.first), high = std::min(a.last(), b.last());
    const Index gcd = std::gcd(a.period, b.period);
    const Index coarser = std::min(blocks_meeting(a, low, high), blocks_meeting(b, low, high));
    return std::min((a.length + b.length - 1 + gcd - 1) / gcd, 3 * coarser);
}

void expect_elements(const IndexSet& set, Bits expected, Index lower, const std::string& what) {
    bool sound = true;
    ASSERT_EQ(bits(set, lower, sound), expected) << what;
    ASSERT_EQ(bits_of_runs(set, lower, sound), expected) << what;
    ASSERT_TRUE(sound) << what;
    ASSERT_EQ(set.empty(), expected == 0) << what;
    ASSERT_EQ(set.size(), std::popcount(expected)) << what;
    if (expected == 0) return;
    ASSERT_EQ(set.lowest() - lower, std::countr_zero(expected)) << what;
    ASSERT_EQ(set.highest() - lower, 63 - std::countl_zero(expected)) << what;
}

std::string text_of(const Piece& p) {
    return "{" + std::to_string(p.first) + "," + std::to_string(p.length) + "," + std::to_string(p.period) + "," +
           std::to_string(p.blocks) + "}";
}

TEST(IndexSet, EveryPairOfPieces) {
    const std::vector<Piece> pieces = all_pieces(18);
    std::vector<IndexSet> sets;
    std::vector<Bits> contents;
    for (const Piece& piece : pieces) {
        sets.emplace_back(std::vector<Piece>{piece});
        bool sound = true;
        contents.push_back(bits(sets.back(), 0, sound));
        expect_elements(sets.back(), contents.back(), 0, text_of(piece));
        for (Index i = -2; i < 20; ++i) ASSERT_EQ(sets.back().contains(i), i >= 0 && (contents.back() & bit(i)) != 0);
    }
    for (std::size_t a = 0; a < pieces.size(); ++a) {
        for (std::size_t b = 0; b < pieces.size(); ++b) {
            const IndexSet both = sets[a].intersect(sets[b]);
            bool sound = true;
            const bool equal = bits(both, 0, sound) == (contents[a] & contents[b]);
            ASSERT_TRUE(equal && sound) << text_of(pieces[a]) << " with " << text_of(pieces[b]);
            ASSERT_LE(std::ssize(both.pieces()), promised_pieces(pieces[a], pieces[b]))
                << text_of(pieces[a]) << " with " << text_of(pieces[b]);
        }
    }
}

// All different owned sets (by pieces) of the distributions of `extent` indices.
std::map<std::vector<std::tuple<Index, Index, Index, Index>>, std::pair<IndexSet, Bits>> owned_sets(Index lower, Index extent) {
    std::map<std::vector<std::tuple<Index, Index, Index, Index>>, std::pair<IndexSet, Bits>> result;
    for (Index nodes = 1; nodes <= 9; ++nodes) {
        for (const Case& c : all_distributions(lower, extent, nodes)) {
            for (Index node = 0; node < nodes; ++node) {
                const IndexSet owned = c.distribution.owned(node);
                std::vector<std::tuple<Index, Index, Index, Index>> key;
                for (const Piece& p : owned.pieces()) key.emplace_back(p.first, p.length, p.period, p.blocks);
                Bits expected = 0;
                for (Index i = 0; i < extent; ++i) {
                    if (c.owner[i] == node) expected |= bit(i);
                }
                result.emplace(key, std::pair(owned, expected));
            }
        }
    }
    return result;
}

TEST(IndexSet, EveryPairOfOwnedSets) {
    for (const Index extent : {0, 1, 2, 5, 12, 31, 47, 64}) {
        const auto sets = owned_sets(-20, extent);
        for (const auto& [key_a, a] : sets) {
            for (const auto& [key_b, b] : sets) {
                const IndexSet both = a.first.intersect(b.first);
                bool sound = true;
                ASSERT_EQ(bits(both, -20, sound), a.second & b.second) << "extent " << extent;
                ASSERT_EQ(bits_of_runs(both, -20, sound), a.second & b.second) << "extent " << extent;
                ASSERT_TRUE(sound);
            }
        }
    }
}

TEST(IndexSet, PiecesOfOneRunAreOnePiece) {
    EXPECT_EQ(IndexSet({{0, 4, 4, 5}}).pieces(), (std::vector<Piece>{{0, 20, 20, 1}}));
    EXPECT_EQ(IndexSet({{4, 3, 9, 1}, {0, 4, 4, 1}}).pieces(), (std::vector<Piece>{{0, 7, 7, 1}}));
    EXPECT_EQ(IndexSet({{0, 2, 5, 3}, {15, 2, 5, 2}}).pieces(), (std::vector<Piece>{{0, 2, 5, 5}}));
    EXPECT_TRUE(IndexSet({{0, 0, 1, 3}, {7, 2, 2, 0}}).empty());
}

TEST(IndexSet, IntervalsRangesAndShifts) {
    expect_elements(IndexSet::interval(3, 9), 0b1111111, 3, "interval");
    EXPECT_TRUE(IndexSet::interval(3, 2).empty());
    expect_elements(IndexSet::of(Range::triplet(9, 1, -4)), 0b100010001, 1, "descending range");
    expect_elements(IndexSet::of(Range::triplet(1, 9, 4)).shifted(-100), 0b100010001, -99, "shifted");
    EXPECT_TRUE(IndexSet::of(Range::triplet(1, 0, 4)).empty());
}

TEST(IndexSet, RunsAreMaximalAcrossPieces) {
    // Three residues of period 4 leave one gap in four; a fourth piece fills it up to 11.
    const IndexSet set({{0, 1, 4, 5}, {1, 1, 4, 5}, {2, 1, 4, 5}, {3, 1, 4, 3}});
    EXPECT_EQ(set.runs(), (std::vector<Range>{{0, 15, 1}, {16, 3, 1}}));
}

TEST(IndexSet, PositionsStandWhereTheRangeSays) {
    for (const Index step : {-7, -3, -2, -1, 1, 2, 3, 7})
        for (const Distribution& dimension : {Distribution::cyclic(-3, 60, 3, 4), Distribution::block(-3, 60, 3)})
            for (Index node = 0; node < 3; ++node) {
                const Range range{step > 0 ? -2 : 59, 60 / std::abs(step), step};
                const IndexSet found = positions(dimension.owned(node, range), range);
                for (Index k = 0; k < range.count; ++k)
                    ASSERT_EQ(found.contains(k), dimension.owner(range.first + k * step) == node) << step << " " << k;
                ASSERT_EQ(found.size(), dimension.owned(node, range).size());
            }
}

TEST(IndexSet, HugeDimensionsStayAFewPieces) {
    const Index extent = Index{1} << 62;
    const Distribution cyclic = Distribution::cyclic(1, extent, 7, 3), block = Distribution::block(1, extent, 5);
    Index total = 0;
    for (Index p = 0; p < 7; ++p) {
        for (Index q = 0; q < 5; ++q) {
            const IndexSet both = cyclic.owned(p).intersect(block.owned(q));
            EXPECT_LE(both.pieces().size(), 3u);
            total += both.size();
        }
    }
    EXPECT_EQ(total, extent);
    const Distribution other = Distribution::cyclic(1, extent, 5, 4);
    total = 0;
    for (Index p = 0; p < 7; ++p) {
        for (Index q = 0; q < 5; ++q) {
            const IndexSet both = cyclic.owned(p).intersect(other.owned(q));
            EXPECT_LE(both.pieces().size(), 12u);
            total += both.size();
        }
    }
    EXPECT_EQ(total, extent);
}

}  // namespace
