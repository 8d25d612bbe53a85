// How long fast ranks wait for slow ones.
#include "iod/catwalk/pace.hpp"

#include <gtest/gtest.h>

namespace kumihimo::iod::process {
namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t buffer = 64 << 20, lead = buffer / 8 / 4;

class Paces : public testing::Test {
protected:
    std::uint64_t limit(bool crowded, std::uint64_t least, std::uint64_t all, std::uint64_t left) {
        return pace_.limit(crowded, least, all, left, now_);
    }
    Pace pace_{buffer, 4};
    Pace::Clock::time_point now_{};
};

TEST_F(Paces, NobodyWaitsWhileThereIsRoom) {
    EXPECT_EQ(limit(false, 0, 1000, 0), Pace::no_limit);
    EXPECT_FALSE(pace_.deadline());
}

TEST_F(Paces, TheFastWaitAsLongAsSomethingLeaves) {
    for (std::uint64_t step = 0; step < 10; ++step, now_ += Pace::patience - 1ms)
        EXPECT_EQ(limit(true, step, 100, step), step + lead);
    EXPECT_TRUE(pace_.deadline());
}

// Else a rank that writes little would hold up all others for ever.
TEST_F(Paces, WhoBringsNothingThatIsMissingIsNotWaitedForAndEachTimeForLonger) {
    std::uint64_t all = 0;
    for (std::uint64_t pause = buffer; pause < 16 * buffer; pause *= 2) {
        EXPECT_EQ(limit(true, 7, all, 0), 7 + lead);
        now_ = *pace_.deadline();
        EXPECT_EQ(limit(true, 7, all, 0), Pace::no_limit);
        EXPECT_EQ(limit(true, 7, all + pause - 1, 0), Pace::no_limit);
        all += pause;
    }
}

}  // namespace
}  // namespace kumihimo::iod::process
