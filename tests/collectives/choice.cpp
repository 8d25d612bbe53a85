// When the tuner prefers an algorithm: clear gains always, noise hardly ever; and which calls its rules are for.
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

// The rules of sizes that follow each other are for every call once: Reduce_scatter's by its vector, of which a block was
// tried.
TEST(RuleFor, EveryCallHasTheRuleOfItsSize) {
    constexpr Bytes last = 512;
    for (const auto operation : {Operation::broadcast, Operation::allgather, Operation::reduce_scatter})
        for (const int ranks : {2, 3, 8})
            for (Bytes bytes = 8; bytes <= last; bytes += 8) {
                const Bytes size = operation == Operation::reduce_scatter ? bytes * ranks : bytes;
                EXPECT_EQ(size_in_rules(operation, bytes, ranks), size);
                for (Bytes tried = 8; tried <= last; tried *= 4) {
                    const Rule rule = rule_for(operation, {tried, 4 * tried}, ranks, 1);
                    const bool meant = tried <= bytes && bytes < 4 * tried;
                    EXPECT_EQ(rule.least_bytes <= size && size <= rule.most_bytes, meant)
                        << name_of(operation) << " of " << bytes << " on " << ranks << ": " << text(rule);
                }
            }
}

TEST(RuleFor, ItsTextIsRead) {
    Rule rule = rule_for(Operation::reduce_scatter, {32, 128}, 4, 2);
    EXPECT_EQ(rule.least_bytes, 128);
    EXPECT_EQ(rule.most_bytes, 511);
    const Rule read = Selection(text(rule)).rules().front();
    EXPECT_EQ(text(read), text(rule));
    EXPECT_EQ(rule_for(Operation::barrier, {0, 1}, 4, 1).most_bytes, 0);
    EXPECT_EQ(rule_for(Operation::allreduce, {8, 32}, 4, 1).least_bytes, 1) << "without data there is nothing to do";
}

}  // namespace
}  // namespace kumihimo::collectives::tune
