// Extents against lists of bytes: all small vectors and pairs of blocks, random trees (KUMIHIMO_TEST_SEED repeats a run), and
// patterns too large for a list, whose answers are known.
#include "sets/extents.hpp"

#include "byte_list.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace byte_list;

class RandomExtents : public testing::Test {
protected:
    Index between(Index low, Index high) { return random.between(low, high); }

    ByteList leaf() {
        if (between(0, 3) > 0) return contiguous(between(0, 5));
        std::vector<std::pair<Index, Index>> list;
        Index offset = between(-10, 10);
        const Index common = between(0, 3), distance = between(-2, 6);
        for (Index i = between(0, 12); i > 0; --i) {
            const bool regular = between(0, 3) > 0;
            list.emplace_back(offset, regular ? common : between(0, 4));
            offset += regular ? distance : list.back().second + between(-3, 3);
        }
        return blocks(list);
    }

    ByteList joined(int depth) {
        std::vector<std::pair<Index, ByteList>> parts;
        Index offset = between(-10, 10);
        ByteList last = tree(depth - 1);
        for (Index i = between(0, 4); i > 0; --i) {
            if (between(0, 2) == 0) last = tree(depth - 1);
            parts.emplace_back(offset, last);
            const Index extent = last.upper() - last.lower();
            offset += between(0, 1) == 0 ? extent : between(-2, 2) + extent;
        }
        return sequence(parts);
    }

    ByteList tree(int depth) {
        if (depth == 0) return leaf();
        if (between(0, 2) == 0) return joined(depth);
        const ByteList part = tree(depth - 1);
        const Index extent = part.upper() - part.lower();
        switch (between(0, 5)) {
            case 0:
                return shifted(part, between(-20, 20));
            case 1:
                return resized(part, between(-9, 9), between(-3, extent + 9));
            case 2:
                return repeated(part, between(0, 4), between(-extent - 3, extent + 9));
            default:
                return repeated(part, between(1, 4), extent + (between(0, 1) == 0 ? 0 : between(0, 9)));
        }
    }

    kumihimo::support::Random random;
};

TEST_F(RandomExtents, TreesAgainstLists) {
    const int rounds = kumihimo::support::rounds(120'000);
    int large = 0, ascending = 0;
    for (int round = 0; round < rounds; ++round) {
        const ByteList c = tree(static_cast<int>(between(0, 5)));
        large += c.offsets.size() > 50;
        ascending += c.offsets.size() > 20 && c.extents.ascending();
        ASSERT_NO_FATAL_FAILURE(check(c, random.engine(), 3));
        const Index span = c.extents.true_upper() - c.extents.true_lower();
        const Index period =
            between(0, 2) == 0 ? std::max<Index>(1, c.upper() - c.lower()) : std::max<Index>(1, span + between(-2, 9));
        const Index displacement = between(0, 1) == 0 ? between(0, 100) : Index{1} << between(30, 50);
        const Index first = between(0, 1) == 0 ? 0 : Index{1} << between(20, 44);
        ASSERT_NO_FATAL_FAILURE(check_tiled(c, period, displacement, first, random.engine()));
    }
    EXPECT_GT(large, rounds / 24);  // the trees are no trifles
    EXPECT_GT(ascending, rounds / 24);
}

TEST(Extents, EveryVectorOfVectors) {
    std::mt19937_64 random(1);
    for (Index length = 1; length <= 3; ++length)
        for (Index inner = 1; inner <= 3; ++inner)
            for (Index inner_stride = -4; inner_stride <= 6; ++inner_stride)
                for (Index outer = 0; outer <= 3; ++outer)
                    for (Index outer_stride = -13; outer_stride <= 13; ++outer_stride)
                        ASSERT_NO_FATAL_FAILURE(
                            check(repeated(repeated(contiguous(length), inner, inner_stride), outer, outer_stride), random, 8));
}

TEST(Extents, EveryThreeBlocks) {
    std::mt19937_64 random(1);
    const auto case_of = [](Index code) { return std::pair<Index, Index>{code / 3 - 3, code % 3}; };
    for (Index a = 0; a < 21; ++a)
        for (Index b = 0; b < 21; ++b)
            for (Index c = 0; c < 21; ++c) {
                const ByteList list = blocks({case_of(a), case_of(b), case_of(c)});
                ASSERT_NO_FATAL_FAILURE(check(list, random, 4));
                ASSERT_NO_FATAL_FAILURE(check_tiled(list, 9, 7, 0, random));
            }
}

// The number of calls that a visit makes.
Index calls(const Extents& extents) {
    Index count = 0;
    extents.for_each(0, extents.size(), [&](const Blocks&) { ++count; });
    return count;
}

Index nests(const Extents& extents) {
    Index count = 0;
    extents.for_each_nest(0, extents.size(), [&](const Nest&) { ++count; });
    return count;
}

TEST(Extents, RegularPatternsStaySmall) {
    const Index million = 1'000'000;
    const Extents number = Extents::contiguous(8), vector = number.repeated(million, 32);
    EXPECT_EQ(calls(vector), 1);
    EXPECT_EQ(vector.runs(), million);
    EXPECT_EQ(calls(vector.repeated(1000, million * 32)), 1);               // vectors that continue each other
    EXPECT_EQ(calls(number.repeated(1000, 8).repeated(million, 8000)), 1);  // contiguous after all
    EXPECT_TRUE(number.repeated(1000, 8).repeated(million, 8000).contiguous());

    std::vector<std::pair<Index, Index>> rows;
    for (Index i = 0; i < 100; ++i)
        for (Index j = 0; j < 100; ++j)
            for (Index k = 0; k < 100; ++k) rows.emplace_back(i * 100'000 + j * 900 + k * 8, 4);
    const Extents listed = Extents::blocks(rows), nested = Extents::contiguous(4).repeated(100, 8).repeated(100, 900);
    EXPECT_EQ(nests(listed), 1);  // found in a plain list
    EXPECT_EQ(calls(listed), 10'000);
    EXPECT_EQ(nests(nested.repeated(100, 100'000)), 1);
}

TEST(Extents, AdjacentPartsMerge) {
    const Extents four = Extents::contiguous(4);
    EXPECT_TRUE(Extents::sequence({{0, four}, {4, four}, {8, Extents::contiguous(1)}}).contiguous());
    const Extents pair = Extents::sequence({{0, four}, {10, four}});
    EXPECT_EQ(Extents::sequence({{0, pair}, {14, four}}).runs(), 2);
    EXPECT_EQ(Extents::sequence({{0, four}, {4, pair}}).runs(), 2);
}

// A file of 2^40 columns: answers in O(depth), whatever the position.
TEST(Extents, LargePositions) {
    const Index columns = Index{1} << 40;
    const Extents row = Extents::contiguous(16).repeated(columns, 64);
    EXPECT_EQ(row.size(), columns * 16);
    EXPECT_EQ(row.offset((columns - 1) * 16 + 5), (columns - 1) * 64 + 5);
    EXPECT_EQ(row.below((columns - 1) * 64 + 5), (columns - 1) * 16 + 5);
    EXPECT_EQ(visited(row, columns * 8 - 3, columns * 8 + 3).offsets,
              (std::vector<Index>{columns * 32 - 48 - 3, columns * 32 - 48 - 2, columns * 32 - 48 - 1, columns * 32,
                                  columns * 32 + 1, columns * 32 + 2}));
    const Extents pattern = Extents::contiguous(8).resized(0, 24);
    EXPECT_EQ(tiled_offset(pattern, 24, columns * 8 + 1), columns * 24 + 1);
    EXPECT_EQ(tiled_below(pattern, 24, columns * 24 + 9), columns * 8 + 8);
}

TEST(Extents, NothingIsNothing) {
    const Extents nothing;
    EXPECT_EQ(nothing.size(), 0);
    EXPECT_EQ(nothing.extent(), 0);
    EXPECT_TRUE(nothing.contiguous() && nothing.ascending());
    EXPECT_EQ(nothing.below(7), 0);
    EXPECT_EQ(calls(nothing.repeated(7, 3).shifted(5)), 0);
    EXPECT_EQ(tiled_below(nothing, 0, 100), 0);
    Index count = 0;
    for_each_tiled(nothing, 0, 5, 0, 0, [&](const Blocks&) { ++count; });
    EXPECT_EQ(count, 0);
    EXPECT_EQ(nothing.resized(-4, 8).repeated(2, 8).lower(), -4);  // bounds without bytes
    EXPECT_EQ(nothing.resized(-4, 8).repeated(2, 8).extent(), 16);
}

}  // namespace
