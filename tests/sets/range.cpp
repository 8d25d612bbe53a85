// Ranges against lists of their elements: all triplets and all pairs in a small window, and the ends of 64 bits.
#include "sets/range.hpp"

#include <algorithm>
#include <stdexcept>

#include "oracle.hpp"

namespace {

using namespace oracle;

std::vector<Index> triplet_elements(Index first, Index last, Index step) {
    std::vector<Index> result;
    for (Index i = first; step > 0 ? i <= last : i >= last; i += step) result.push_back(i);
    return result;
}

std::vector<Range> small_ranges(Index window, Index steps) {
    std::vector<Range> result;
    for (Index first = -window; first <= window; ++first) {
        for (Index last = -window; last <= window; ++last) {
            for (Index step = -steps; step <= steps; ++step) {
                if (step != 0) result.push_back(Range::triplet(first, last, step));
            }
        }
    }
    return result;
}

TEST(Range, TripletHasTheElementsOfTheLoop) {
    for (Index first = -9; first <= 9; ++first) {
        for (Index last = -9; last <= 9; ++last) {
            for (Index step = -20; step <= 20; ++step) {
                if (step == 0) continue;
                const Range range = Range::triplet(first, last, step);
                const std::vector<Index> expected = triplet_elements(first, last, step);
                ASSERT_EQ(elements(range), expected) << first << ":" << last << ":" << step;
                ASSERT_EQ(range.empty(), expected.empty());
                std::vector<Index> sorted = expected;
                std::sort(sorted.begin(), sorted.end());
                ASSERT_EQ(elements(range.ascending()), sorted);
                ASSERT_GT(range.ascending().step, 0);
                for (Index i = -12; i <= 12; ++i) {
                    ASSERT_EQ(range.contains(i), std::binary_search(sorted.begin(), sorted.end(), i)) << i;
                }
            }
        }
    }
}

TEST(Range, StepZeroIsAnError) {
    EXPECT_THROW(Range::triplet(1, 2, 0), std::invalid_argument);
}

TEST(Range, IntersectionKeepsTheOrderOfTheFirst) {
    const std::vector<Range> ranges = small_ranges(6, 4);
    for (const Range& a : ranges) {
        for (const Range& b : ranges) {
            const std::vector<Index> of_a = elements(a), of_b = elements(b);
            std::vector<Index> expected;
            std::copy_if(of_a.begin(), of_a.end(), std::back_inserter(expected),
                         [&](Index i) { return std::find(of_b.begin(), of_b.end(), i) != of_b.end(); });
            const Range both = intersect(a, b);
            ASSERT_EQ(elements(both), expected) << describe(a) << " with " << describe(b);
            ASSERT_EQ(both.empty(), expected.empty());
        }
    }
}

TEST(Range, SixtyFourBitEnds) {
    const Index big = Index{1} << 62;
    const Range whole = Range::triplet(-big / 2, big / 2, 1);
    EXPECT_EQ(whole.count, big + 1);
    EXPECT_TRUE(whole.contains(big / 2));
    EXPECT_FALSE(whole.contains(big / 2 + 1));
    const Range backwards = Range::triplet(big, -big, -(big / 4));
    EXPECT_EQ(backwards.count, 9);
    EXPECT_EQ(intersect(backwards, whole), (Range{big / 2, 5, -(big / 4)}));
    // Coprime steps near 2^40: one common element in 2^62 (their product lies beyond it).
    const Index p = (Index{1} << 40) + 1, q = (Index{1} << 40) - 1;
    const Range by_p = Range::triplet(7, big, p), by_q = Range::triplet(7, big, q);
    EXPECT_EQ(intersect(by_p, by_q).count, 1);
    EXPECT_EQ(intersect(by_p, by_q).first, 7);
    // Chinese remainder: x = 2 mod 3, 3 mod 5, 2 mod 7 is 23 mod 105.
    const Range sunzi = intersect(intersect(Range::triplet(2, big, 3), Range::triplet(3, big, 5)), Range::triplet(2, big, 7));
    EXPECT_EQ(sunzi.first, 23);
    EXPECT_EQ(sunzi.step, 105);
    EXPECT_EQ(sunzi.count, (big - 23) / 105 + 1);
}

}  // namespace
