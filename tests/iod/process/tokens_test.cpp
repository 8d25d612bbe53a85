// One-use tokens: for how long, how often, and for whom.
#include "iod/link/tokens.hpp"

#include <gtest/gtest.h>

namespace kumihimo::iod::process {
namespace {

constexpr Tokens::Clock::time_point start{};
constexpr std::chrono::milliseconds moment{1};

TEST(Tokens, AreGoodOnceAndForAMinute) {
    Tokens tokens;
    const Token first = tokens.make({Role::client, 1, 0}, start), second = tokens.make({Role::client, 2, 0}, start);
    EXPECT_NE(first, second);
    const auto taken = tokens.take(first, start + Tokens::lifetime);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->session, 1u);
    EXPECT_FALSE(tokens.take(first, start + Tokens::lifetime)) << "it is used";
    EXPECT_FALSE(tokens.take(second, start + Tokens::lifetime + moment)) << "it is too old";
    EXPECT_EQ(tokens.expected(), 0u) << "who is too late is not waited for";
}

TEST(Tokens, WithAnyByteChangedAreNone) {
    Tokens tokens;
    const Token right = tokens.make({Role::client, 1, 0}, start);
    for (std::size_t at = 0; at < right.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            Token wrong = right;
            wrong[at] ^= static_cast<std::byte>(1 << bit);
            EXPECT_FALSE(tokens.take(wrong, start));
        }
    EXPECT_TRUE(tokens.take(right, start));
}

TEST(Tokens, EndWithTheirSession) {
    Tokens tokens;
    const Token ended = tokens.make({Role::client, 1, 0}, start), other = tokens.make({Role::client, 2, 0}, start);
    tokens.forget(1);
    EXPECT_FALSE(tokens.take(ended, start));
    EXPECT_TRUE(tokens.take(other, start));
}

}  // namespace
}  // namespace kumihimo::iod::process
