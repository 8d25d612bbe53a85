#include "iod/protocol/payload.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

using namespace kumihimo::iod;

namespace {

constexpr std::size_t long_one = std::size_t{1} << 20;

#ifdef __SANITIZE_ADDRESS__
constexpr bool keeps = false;
#else
constexpr bool keeps = true;
#endif

Payload numbered(std::size_t bytes, int first) {
    Payload payload(bytes);
    for (std::size_t i = 0; i < bytes; ++i) payload[i] = static_cast<std::byte>(static_cast<std::size_t>(first) + i);
    return payload;
}

TEST(Payload, MemoryOfLongOnesIsUsedAgainLastFirst) {
    if (!keeps) GTEST_SKIP() << "the address sanitizer watches memory that is given back";
    const std::byte *first = nullptr, *last = nullptr;
    {
        const Payload one(long_one), other(long_one);
        last = one.data();  // it goes last
        first = other.data();
    }
    const Payload again(long_one - 100), and_again(long_one);
    EXPECT_EQ(again.data(), last);
    EXPECT_EQ(and_again.data(), first);
}

TEST(Payload, AShortOneDoesNotHoldALongOnesMemory) {
    { const Payload one(long_one); }
    const Payload other(PayloadMemory::least);
    EXPECT_LE(other.capacity(), 2 * PayloadMemory::least);
}

TEST(Payload, WhatIsKeptIsBounded) {
    std::vector<Payload> all;
    for (int i = 0; i < 64; ++i) all.emplace_back(long_one);
    all.clear();
    EXPECT_LE(PayloadMemory::of_process().kept_bytes(), PayloadMemory::most_kept);
    if (keeps) {
        EXPECT_GE(PayloadMemory::of_process().kept_bytes(), long_one);
    }
}

TEST(Payload, GrowsAndMovesWithItsContents) {
    Payload grown = numbered(100, 1);
    while (grown.size() < 3 * long_one) grown.append(Payload(grown));
    Payload moved = std::move(grown);
    for (std::size_t i = 0; i < moved.size(); i += 99) ASSERT_EQ(moved[i], static_cast<std::byte>(1 + i % 100));
    EXPECT_EQ(Payload(moved), moved);
}

TEST(Payload, ThreadsHaveMemoryOfTheirOwn) {
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number)
        threads.emplace_back([number] {
            for (int round = 0; round < 50; ++round) {
                const std::size_t bytes = PayloadMemory::least + static_cast<std::size_t>(round) * 1000;
                const Payload one = numbered(bytes, number), other = numbered(bytes, number + round);
                EXPECT_EQ(one, numbered(bytes, number));
                EXPECT_EQ(other, numbered(bytes, number + round));
            }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace
