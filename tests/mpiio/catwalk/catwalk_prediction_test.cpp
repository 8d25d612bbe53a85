#include <gtest/gtest.h>

#include "mpiio/engine/catwalk/prediction.hpp"

namespace kumihimo::mpiio::catwalk {
namespace {

double last_of(Details totals, const char* name) {
    predict(totals);
    for (const auto& [found, value] : totals)
        if (name == found) return value;
    return -1;
}

const Details numbers = {{"ring seconds", 1}, {"sort seconds", 2},  {"link seconds", 2.5},         {"write seconds", 1},
                         {"sync seconds", 1}, {"open seconds", 10}, {"file bytes written", 3000.0}};

TEST(Prediction, TheSlowestStageDecides) {
    EXPECT_DOUBLE_EQ(last_of(numbers, "predicted bytes per s"), 1000);  // the process: 3 s
    Details slow_link = numbers, slow_disk = numbers;
    slow_link[2].second = 6, slow_disk[4].second = 14;
    EXPECT_DOUBLE_EQ(last_of(slow_link, "predicted bytes per s"), 500);
    EXPECT_DOUBLE_EQ(last_of(slow_disk, "predicted bytes per s"), 200);
}

TEST(Prediction, TheMeasuredOneIsFromTheOpeningOn) {
    EXPECT_DOUBLE_EQ(last_of(numbers, "measured bytes per s"), 300);
}

TEST(Prediction, AFileThatNobodyWroteHasNone) {
    EXPECT_DOUBLE_EQ(last_of({}, "predicted bytes per s"), 0);
    EXPECT_DOUBLE_EQ(last_of({}, "measured bytes per s"), 0);
}

}  // namespace
}  // namespace kumihimo::mpiio::catwalk
