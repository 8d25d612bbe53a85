// Correspondences against lists of pairs of bytes: all small ones of two levels, random ones of many (KUMIHIMO_TEST_SEED
// repeats a run), and ones too large for a list.
#include "sets/correspondence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random.hpp"

namespace {

using namespace kumihimo::sets;

using Pairs = std::vector<std::pair<Index, Index>>;  // to, from of each byte of the stream
using LevelList = std::vector<PairedLevel>;

void list_all(Pairs& pairs, Index run, const LevelList& levels, std::size_t depth, Index to, Index from) {
    if (depth == levels.size()) {
        for (Index i = 0; i < run; ++i) pairs.emplace_back(to + i, from + i);
        return;
    }
    for (Index i = 0; i < levels[depth].count; ++i)
        list_all(pairs, run, levels, depth + 1, to + i * levels[depth].to, from + i * levels[depth].from);
}

Pairs listed(Index run, const LevelList& levels, Index to = 0, Index from = 0) {
    Pairs pairs;
    list_all(pairs, run, levels, 0, to, from);
    return pairs;
}

Pairs bytes_of(const Correspondence& correspondence) {
    Pairs pairs;
    correspondence.for_each_run([&](Index to, Index from) {
        for (Index i = 0; i < correspondence.run(); ++i) pairs.emplace_back(to + i, from + i);
    });
    return pairs;
}

Pairs sorted(Pairs pairs) {
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

void append(Pairs& to, const Pairs& more) {
    to.insert(to.end(), more.begin(), more.end());
}

Pairs pieces_of(const Correspondence& correspondence, Index limit, Index unit) {
    Pairs together;
    correspondence.for_each_piece(limit, unit, [&](const Correspondence& piece) {
        EXPECT_TRUE(piece.bytes() <= limit || piece.bytes() < 2 * unit);
        EXPECT_EQ(piece.run() % unit, 0);
        append(together, bytes_of(piece));
    });
    return together;
}

void expect_ends(const Correspondence& correspondence, const Pairs& expected, End end) {
    Pairs side;
    for (const auto& [to, from] : expected) side.emplace_back(end == End::to ? to : from, 0);
    const auto [least, most] = std::minmax_element(side.begin(), side.end());
    const Correspondence::Extent extent = correspondence.extent(end);
    EXPECT_EQ(extent.first, least->first);
    EXPECT_EQ(extent.end, most->first + 1);
    const bool ascends = std::adjacent_find(side.begin(), side.end(), std::greater_equal<>()) == side.end();
    EXPECT_TRUE(ascends || !correspondence.nested(end));
    const Pairs dense = bytes_of(correspondence.dense(end));
    ASSERT_EQ(dense.size(), expected.size());
    for (std::size_t i = 0; i < dense.size(); ++i)
        ASSERT_EQ(dense[i], end == End::to ? std::pair(static_cast<Index>(i), expected[i].second)
                                           : std::pair(expected[i].first, static_cast<Index>(i)));
    const Correspondence ascending = correspondence.ascending(end);
    EXPECT_EQ(sorted(bytes_of(ascending)), sorted(expected));
    for (const PairedLevel& level : ascending.levels()) EXPECT_GE(level.stride(end), 0);
}

void expect_same(Index run, const LevelList& levels, Index to = 0, Index from = 0) {
    const Correspondence made(run, levels, to, from);
    const Pairs expected = listed(run, levels, to, from);
    ASSERT_EQ(made.bytes(), static_cast<Index>(expected.size()));
    ASSERT_EQ(bytes_of(made), expected);
    ASSERT_LE(made.levels().size(), levels.size());
    if (expected.empty()) {
        EXPECT_TRUE(made.contiguous());
        return;
    }
    for (const PairedLevel& level : made.levels()) ASSERT_GE(level.count, 2);
    expect_ends(made, expected, End::to);
    expect_ends(made, expected, End::from);
    Pairs turned = expected;
    for (auto& [a, b] : turned) std::swap(a, b);
    EXPECT_EQ(bytes_of(made.turned()), turned);
    EXPECT_EQ(bytes_of(made.moved(5, -7)), listed(run, levels, to + 5, from - 7));
    EXPECT_EQ(pieces_of(made, 5, 1), expected);
    EXPECT_EQ(pieces_of(made, 2 * run, run), expected);
}

TEST(Correspondence, AllSmallOnes) {
    constexpr Index strides[] = {-3, 0, 1, 2, 6};
    LevelList all;
    for (Index count = 0; count <= 3; ++count)
        for (const Index to : strides)
            for (const Index from : strides) all.push_back({count, to, from});
    for (Index run = 1; run <= 3; ++run)
        for (const PairedLevel& outer : all) {
            expect_same(run, {outer});
            for (const PairedLevel& inner : all) expect_same(run, {outer, inner});
            if (HasFatalFailure()) return;
        }
}

class RandomCorrespondence : public testing::Test {
protected:
    LevelList levels(int most) {
        LevelList made;
        Index to = 1, from = 1;
        for (Index depth = random.between(0, most); depth > 0; --depth) {
            const Index count = random.one_of(30) ? 0 : random.between(1, 4);
            to = random.one_of(3) ? random.between(-9, 9) : to;
            from = random.one_of(3) ? random.between(-9, 9) : from;
            made.insert(made.begin(), {count, to, from});
            to *= count, from *= count;
        }
        return made;
    }
    kumihimo::support::Random random;
};

TEST_F(RandomCorrespondence, OfManyLevels) {
    for (int round = 0; round < 2000; ++round) {
        expect_same(random.between(1, 5), levels(6), random.between(-9, 9), random.between(-9, 9));
        if (HasFatalFailure()) return;
    }
}

TEST_F(RandomCorrespondence, PartsOfTheStream) {
    for (int round = 0; round < 2000; ++round) {
        std::vector<Correspondence> list;
        Pairs all;
        for (Index i = random.between(1, 3); i > 0; --i) {
            list.emplace_back(random.between(0, 5), levels(4), random.between(-9, 9), random.between(-9, 9));
            append(all, bytes_of(list.back()));
        }
        const Index bytes = static_cast<Index>(all.size()), begin = random.between(0, bytes),
                    end = random.between(begin, bytes);
        Pairs found;
        for_each_box(list, begin, end, [&](const Correspondence& box) { append(found, bytes_of(box)); });
        ASSERT_EQ(found, Pairs(all.begin() + begin, all.begin() + end)) << "bytes " << begin << " to " << end;
    }
}

TEST(Correspondence, RunsAndLevelsMerge) {
    const LevelList rows{{4, 40, 40}, {1, 7, 9}, {5, 8, 8}};
    EXPECT_TRUE(Correspondence(8, rows).contiguous());
    EXPECT_EQ(Correspondence(8, rows).run(), 160);
    const LevelList padded{{4, 40, 48}, {5, 8, 8}};
    EXPECT_EQ(Correspondence(8, padded).run(), 40);
    EXPECT_EQ(Correspondence(8, padded).levels().size(), 1u);
    const LevelList columns{{2, 8, 8}, {3, 16, 16}, {4, 100, 200}, {5, 48, 48}};  // by strides: 4 runs of 8 * 2 * 3 * 5
    EXPECT_EQ(Correspondence(8, columns).ascending(End::from).run(), 240);
    EXPECT_EQ(Correspondence(8, columns).ascending(End::to).levels().size(), 1u);
    const LevelList backwards{{3, -8, -8}};
    const Correspondence forwards = Correspondence(8, backwards).ascending(End::to);
    EXPECT_TRUE(forwards.contiguous());
    EXPECT_EQ(forwards.to(), -16);
}

TEST(Correspondence, Beyond32Bits) {
    constexpr Index giga = Index{1} << 30;
    const LevelList levels{{5, 3 * giga, 7 * giga}, {giga, 8, 4}};
    const Correspondence large(1, levels);
    EXPECT_EQ(large.bytes(), 5 * giga);
    EXPECT_EQ(large.extent(End::to).end, 4 * 3 * giga + (giga - 1) * 8 + 1);
    std::vector<Index> begins;
    large.for_each_box(3 * giga + 5, 3 * giga + 7, [&](const Correspondence& box) { begins.push_back(box.to()); });
    EXPECT_EQ(begins, (std::vector<Index>{9 * giga + 40}));
    Index pieces = 0, bytes = 0;
    large.for_each_piece(giga, 1, [&](const Correspondence& piece) { ++pieces, bytes += piece.bytes(); });
    EXPECT_EQ(pieces, 5);
    EXPECT_EQ(bytes, 5 * giga);
}

}  // namespace
