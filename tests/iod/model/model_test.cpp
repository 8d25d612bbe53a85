// All orders in which small rings, trees and stars of I/O processes can do their work: no deadlock, no byte lost or twice, the
// later write wins, drains complete, also if a node dies (docs/explanation/catwalk.md). KUMIHIMO_TEST_LONG=1: larger systems.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "explorer.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::iod::model {
namespace {

constexpr Step drain{Step::Kind::drain, 0, 0};
Step write(int begin, int end) {
    return {Step::Kind::write, begin, end};
}

void explore(const Shape& shape) {
    const Outcome outcome = Explorer(shape, support::long_form() ? 5'000'000 : 25'000).explore();
    EXPECT_EQ(outcome.wrong, "") << shape.name << ", method " << static_cast<int>(shape.method) << ", merge " << shape.merge;
    EXPECT_TRUE(outcome.complete) << shape.name << " has more states than are explored";
    EXPECT_GT(outcome.ends, 0u) << shape.name;
    std::cout << shape.name << " method " << static_cast<int>(shape.method) << ": " << outcome.states << " states, "
              << outcome.ends << " ends\n";
}

// In the short form not the methods that make many states of many nodes: immediate, where each record goes alone, and
// automatic, which in a small system is one of the others.
void explore_all_methods(Shape shape) {
    const bool large = shape.parents.size() > 2 || shape.servers > 1;
    for (const Method method : {Method::immediate, Method::journal, Method::sort, Method::automatic})
        for (const bool merge : {false, true}) {
            if (method == Method::immediate && merge) continue;  // it never merges
            if (!support::long_form() && (method == Method::automatic || (large && method == Method::immediate))) continue;
            shape.method = method;
            shape.merge = merge;
            explore(shape);
        }
}

// Four records and more: more than a buffer holds. The first is written again.
const Program overlapping = {write(8, 10), write(2, 4), write(5, 7), write(9, 11), write(0, 2), drain};
const Program scattered = {write(12, 14), write(4, 5), drain};

TEST(Model, OneNode) {
    explore_all_methods({"one node", {-1}, {overlapping}});
    explore_all_methods({"one node, two drains", {-1}, {{write(3, 5), drain, write(4, 6), write(0, 1), drain}}});
}

TEST(Model, Rings) {
    explore_all_methods({"ring of two", {-1, 0}, {{write(3, 4), drain}, overlapping}});
    explore_all_methods({"ring of two, full at the root", {-1, 0}, {overlapping, {write(3, 4), drain}}});
    explore_all_methods({"ring of three", {-1, 0, 1}, {{write(5, 6), drain}, {write(4, 5), drain}, {write(3, 5), drain}}});
    explore_all_methods({"two drains", {-1, 0}, {{write(0, 2), drain, drain}, {write(1, 3), drain, write(2, 3), drain}}});
}

TEST(Model, TreesAndStars) {
    explore_all_methods({"tree of three", {-1, 0, 0}, {{drain}, {write(0, 2), write(7, 8), drain}, {write(1, 3), drain}}});
}

TEST(Model, TwoServers) {
    explore_all_methods({"two servers", {-1, 0}, {{write(0, 2), drain}, {write(1, 3), drain}}, 2});
}

TEST(Model, LongerChannels) {
    explore_all_methods({"channel of three", {-1, 0}, {{write(2, 4), drain}, {write(3, 5), drain}}, 1, 3});
}

TEST(Model, AJournalThatFails) {
    for (int writes = 0; writes < 3; ++writes)
        explore({"journal fails", {-1, 0}, {{write(7, 8), drain}, overlapping}, 1, 1, Method::journal, true, writes});
}

TEST(Model, ANodeDies) {
    Shape ring{"ring of three, one dies", {-1, 0, 1}, {{drain}, {write(1, 3), drain}, {write(2, 4), drain}}};
    for (const int node : {1, 2}) {
        ring.dying_node = node;
        explore_all_methods(ring);
    }
}

// Larger systems.
class LongForm : public ::testing::TestWithParam<Shape> {};

TEST_P(LongForm, IsSound) {
    if (!support::long_form()) GTEST_SKIP() << "takes minutes (KUMIHIMO_TEST_LONG=1)";
    explore_all_methods(GetParam());
}

std::vector<Shape> larger_systems() {
    const Program two = {write(3, 5), write(8, 9), drain}, one = {write(4, 6), drain};
    Shape dying{"star of three, one dies", {-1, 0, 0}, {one, two, one}};
    dying.dying_node = 1;
    return {{"ring of two, long", {-1, 0}, {scattered, overlapping}},
            {"ring of three, long", {-1, 0, 1}, {one, one, two}},
            {"ring of four", {-1, 0, 1, 2}, {{drain}, {write(4, 6), drain}, {drain}, {write(3, 5), drain}}},
            {"tree of four", {-1, 0, 0, 1}, {{drain}, {write(0, 2), drain}, {drain}, {write(4, 6), drain}}},
            {"channel of three, long", {-1, 0}, {{write(2, 4), drain}, overlapping}, 1, 3},
            {"ring of four, long", {-1, 0, 1, 2}, {one, {drain}, one, one}},
            {"star of four", {-1, 0, 0, 0}, {{drain}, one, one, {write(0, 1), drain}}},
            {"two servers, ring of three", {-1, 0, 1}, {{write(0, 2), drain}, {drain}, {write(1, 3), drain}}, 2},
            dying};
}

INSTANTIATE_TEST_SUITE_P(Systems, LongForm, ::testing::ValuesIn(larger_systems()), [](const auto& shape) {
    std::string name = shape.param.name;
    std::erase(name, ',');
    std::ranges::replace(name, ' ', '_');
    return name;
});

}  // namespace
}  // namespace kumihimo::iod::model
