// When the tuner prefers an algorithm: clear gains always, noise hardly ever.
#include "collectives/tune/choice.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kumihimo::collectives::tune {
namespace {

// Times around a mean with a long upper tail, as of messages on a busy machine.
std::vector<double> times(double mean, std::mt19937& random, int count = 30) {
    std::lognormal_distribution<double> noise(0, 0.3);
    std::vector<double> list;
    for (int i = 0; i < count; ++i) list.push_back(mean * noise(random));
    return list;
}

TEST(Choice, TheFastestClearlyFasterOne) {
    const Choice choice = choose({{10, 11, 12, 13}, {5, 5, 6, 6}, {4, 4, 50, 50}, {9, 10, 11, 12}});
    EXPECT_EQ(choice.candidate, 1);  // the second has a slow quarter, the third overlaps native
    EXPECT_NEAR(choice.gain, 2, 0.2);
}

TEST(Choice, NativeWithoutRivals) {
    EXPECT_EQ(choose({{1, 2, 3}}).candidate, 0);
}

TEST(Choice, NoiseIsNoReason) {
    std::mt19937 random(5);
    int chosen = 0;
    for (int i = 0; i < 2000; ++i) chosen += choose({times(1, random), times(1, random), times(1, random)}).candidate != 0;
    EXPECT_LE(chosen, 4);  // 1 in 1,000 comparisons
}

TEST(Choice, TwiceAsFastIsFound) {
    std::mt19937 random(6);
    int chosen = 0;
    for (int i = 0; i < 1000; ++i) chosen += choose({times(1, random), times(0.5, random), times(2, random)}).candidate == 1;
    EXPECT_GT(chosen, 980);
}

}  // namespace
}  // namespace kumihimo::collectives::tune
