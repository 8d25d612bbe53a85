// Patterns of bench/measure: the right data passes, and no wrong byte, block or sum does.
#include "bench/measure/pattern.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace kumihimo::bench {

TEST(Pattern, RightBlocksPassAndEveryFlippedBitIsFound) {
    for (std::size_t size = 0; size <= 40; ++size) {
        std::vector<std::byte> block(size);
        fill_block(block, label(3, 5));
        EXPECT_EQ(wrong_bytes(block, label(3, 5)), 0);
        for (std::size_t bit = 0; bit < 8 * size; ++bit) {
            block[bit / 8] ^= std::byte{1} << (bit % 8);
            EXPECT_GT(wrong_bytes(block, label(3, 5)), 0) << "bit " << bit << " of " << size << " bytes";
            block[bit / 8] ^= std::byte{1} << (bit % 8);
        }
    }
}

TEST(Pattern, BlocksOfOthersAreWrong) {
    std::set<std::uint64_t> labels;
    constexpr int ranks = 40;
    for (int source = 0; source < ranks; ++source)
        for (int destination = -1; destination < ranks; ++destination) labels.insert(label(source, destination));
    EXPECT_EQ(labels.size(), std::size_t{ranks} * (ranks + 1));
    std::vector<std::byte> block(64);
    fill_block(block, label(1, 2));
    EXPECT_GT(wrong_bytes(block, label(2, 1)), 0);
    EXPECT_GT(wrong_bytes(block, label(1, -1)), 0);
}

TEST(Pattern, SumsAreThoseOfAllRanks) {
    constexpr int elements = 37;
    for (int ranks : {1, 2, 3, 16, 17, 100}) {
        std::vector<float> sum(elements, 0), one(elements);
        for (int rank = 0; rank < ranks; ++rank) {
            fill_operands(one, rank);
            for (int i = 0; i < elements; ++i) sum[i] += one[i];
        }
        EXPECT_EQ(wrong_sums(sum, ranks, 0), 0) << ranks;
        EXPECT_EQ(wrong_sums(std::span(sum).subspan(5), ranks, 5), 0) << ranks;
        sum[7] += 1;
        EXPECT_EQ(wrong_sums(sum, ranks, 0), 1) << ranks;
    }
}

TEST(Pattern, ASumThatLeavesARankOutOrCountsOneTwiceIsWrong) {
    constexpr int elements = 32, ranks = 6;
    for (int odd = 0; odd < ranks; ++odd) {
        std::vector<float> without(elements, 0), twice(elements, 0), one(elements);
        for (int rank = 0; rank < ranks; ++rank) {
            fill_operands(one, rank);
            for (int i = 0; i < elements; ++i) {
                without[i] += rank == odd ? 0 : one[i];
                twice[i] += rank == odd ? 2 * one[i] : one[i];
            }
        }
        EXPECT_GT(wrong_sums(without, ranks, 0), 0) << odd;
        EXPECT_GT(wrong_sums(twice, ranks, 0), 0) << odd;
    }
}

TEST(Pattern, ForgottenMemoryIsWrong) {
    const Memory memory(1000);
    fill_block(memory.bytes(), label(0, 1));
    EXPECT_EQ(wrong_bytes(memory.bytes(), label(0, 1)), 0);
    memory.forget();
    EXPECT_EQ(wrong_bytes(memory.bytes(), label(0, 1)), 1000);
}

}  // namespace kumihimo::bench
