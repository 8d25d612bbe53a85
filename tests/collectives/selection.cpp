// Rules: what is read, what is refused with which advice, which rule wins.
#include "collectives/selection.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "collectives/built_in_rules.hpp"

namespace kumihimo::collectives {
namespace {

Call broadcast_of(Bytes bytes, const Torus& torus) {
    Call call;
    call.operation = Operation::broadcast;
    call.bytes = bytes;
    call.torus = torus;
    call.ranks = torus.ranks();
    return call;
}

std::string chosen(const std::string& rules, Bytes bytes, const Torus& torus = {{4, 4, 4}}) {
    const Algorithm* const algorithm = Selection(rules).choose(broadcast_of(bytes, torus), bytes);
    return algorithm == nullptr ? "native" : algorithm->name;
}

TEST(Selection, SizesAndRanks) {
    const std::string rules = "bcast:64k-inf:@tree3,bcast:0-1k:2-16:@binomial allreduce:@ring";
    EXPECT_EQ(chosen(rules, 65535), "native");
    EXPECT_EQ(chosen(rules, 65536), "tree3");
    EXPECT_EQ(chosen(rules, 1 << 30), "tree3");
    EXPECT_EQ(chosen(rules, 1024), "native");
    EXPECT_EQ(chosen(rules, 1024, Torus::line(16)), "binomial");
    EXPECT_EQ(chosen(rules, 1025, Torus::line(16)), "native");
}

TEST(Selection, AShapeStandsForItsRanks) {
    const std::string rules = "bcast:0-inf:4x4x4:@tree3 bcast:0-inf:8x8m:@tree2 bcast:0-inf:8x8:@chain";
    EXPECT_EQ(chosen(rules, 8, Torus::parse("4x4x4")), "tree3");
    EXPECT_EQ(chosen(rules, 8, Torus::parse("8x8m")), "tree2");
    EXPECT_EQ(chosen(rules, 8, Torus::parse("8x8")), "chain");
    EXPECT_EQ(chosen(rules, 8, Torus::parse("4x4x4m")), "native");
    EXPECT_EQ(chosen(rules, 8, Torus::line(64)), "native");
}

TEST(Selection, Hosts) {
    const std::string rules = "bcast:0-inf:4-8/2:@chain bcast:0-inf:2-inf/1:@linear bcast:0-inf:2-inf/3-inf:@binomial";
    const Selection selection(rules);
    const auto chosen_on = [&](const std::vector<int>& hosts) {
        const Placement placement(hosts);
        Call call = broadcast_of(8, Torus::line(static_cast<int>(hosts.size())));
        call.placement = &placement;
        const Algorithm* const algorithm = selection.choose(call, 8);
        EXPECT_EQ(selection.concern(call.ranks, placement.hosts(), call.torus), algorithm != nullptr);
        return std::string(algorithm == nullptr ? "native" : algorithm->name);
    };
    EXPECT_EQ(chosen_on({0, 0}), "linear");
    EXPECT_EQ(chosen_on({0, 0, 1, 1}), "chain");
    EXPECT_EQ(chosen_on({0, 0, 1}), "native");
    EXPECT_EQ(chosen_on({5, 3, 5, 4}), "binomial");
    EXPECT_EQ(chosen(rules, 8, Torus::line(4)), "binomial");  // where nothing is known each rank is on a host of its own
}

TEST(Selection, AnAlgorithmThatCannotBeUsedIsNone) {
    EXPECT_EQ(chosen("bcast:@tree3", 100, Torus::line(64)), "native");
    EXPECT_EQ(chosen("bcast:@chain bcast:@tree3", 100, Torus::line(64)), "chain");
}

TEST(Selection, TheHighestScoreWins) {
    EXPECT_EQ(chosen("bcast:@chain=120\nbcast:@linear=130\nbcast:@binomial=110  # a table", 8), "linear");
    EXPECT_EQ(chosen("bcast:@chain=120 bcast:@linear=99", 8), "chain");
    EXPECT_EQ(chosen("bcast:@linear=99", 8), "native");
    EXPECT_EQ(chosen("bcast:@chain=120 bcast:@native", 8), "native");
    EXPECT_EQ(chosen("bcast:@chain bcast:@linear", 8), "linear");  // of equal ones the last
}

TEST(Selection, WhereSizesAreUnknownOnlyRulesForAllCount) {
    const Selection some("bcast:0-1k:@chain"), all("bcast:@chain");
    EXPECT_EQ(some.choose(broadcast_of(8, Torus::line(4)), std::nullopt), nullptr);
    EXPECT_STREQ(all.choose(broadcast_of(8, Torus::line(4)), std::nullopt)->name, "chain");
    EXPECT_TRUE(all.has(Operation::broadcast));
    EXPECT_FALSE(all.has(Operation::reduce));
    EXPECT_FALSE(Selection("bcast:@native").has(Operation::broadcast));
}

TEST(Selection, TextIsReadBack) {
    const Selection selection("bcast:64k-inf:2-16:@tree3 barrier:@native=7 bcast:0-1k:8x6mx8:@tree3");
    for (const Rule& rule : selection.rules()) EXPECT_EQ(text(Selection(text(rule)).rules().at(0)), text(rule));
    EXPECT_EQ(text(selection.rules()[0]), "bcast:65536-inf:2-16:@tree3=1000");
    EXPECT_EQ(text(selection.rules()[2]), "bcast:0-1024:8x6mx8:@tree3=1000");
    EXPECT_EQ(text(Selection("bcast:0-1k:2-8/2:@chain").rules()[0]), "bcast:0-1024:2-8/2-2:@chain=1000");
    EXPECT_EQ(text(Selection("bcast:0-1k:2-8/2-2:@chain").rules()[0]), "bcast:0-1024:2-8/2-2:@chain=1000");
}

TEST(Selection, WrongRulesAreRefused) {
    for (const char* const rule :
         {"bcast", "broadcast:@tree3", "bcast:tree3", "bcast:@tree5", "bcast:64k:@tree3", "bcast:64x-inf:@tree3",
          "bcast:9-1:@tree3", "bcast:0-1:1-2:3-4:@tree3", "bcast:@tree3=many", "reduce:@chain", "bcast:-1-5:@tree3",
          "bcast:0-1:2-4/:@tree3", "bcast:0-1:2-4/x:@tree3", "bcast:0-1:2-4/3-2:@tree3", "bcast:0-1:4x:@tree3",
          "bcast:99999999999G-inf:@tree3", ":@tree3"})
        EXPECT_THROW(Selection{rule}, base::Error) << rule;
    try {
        Selection{"bcast:@tree5"};
    } catch (const base::Error& error) {
        EXPECT_NE(error.advice().find("tree3"), std::string::npos);
    }
}

void expect_measured(const Selection& selection, int least_ranks, int most_ranks) {
    for (const Rule& rule : selection.rules()) {
        const bool one_host = rule.most_hosts == 1;
        EXPECT_GE(rule.least_ranks, one_host ? least_ranks : 4) << text(rule);
        EXPECT_LE(rule.most_ranks, one_host ? most_ranks : 64) << text(rule);
        EXPECT_GE(rule.least_hosts, one_host ? 1 : 2) << text(rule);
        EXPECT_GT(rule.score, native_score) << text(rule);
        EXPECT_LT(rule.score, user_score) << text(rule);
    }
}

// Built-in rules are for what was measured or modelled: ranks of one host, or several hosts with several ranks each.
TEST(Selection, BuiltInRules) {
    for (const char* const family : {"openmpi", "mpich", "another"}) {
        const Selection own(built_in_rules(family, Processors::own)), shared(built_in_rules(family, Processors::shared));
        for (int i = 0; i < operations; ++i) EXPECT_TRUE(own.has(static_cast<Operation>(i))) << family << " " << i;
        expect_measured(own, 2, 64);
        expect_measured(shared, 3, 8);
        EXPECT_FALSE(shared.concern(2, 1, Torus::line(2))) << family;
        for (const int ranks : {3, 4, 7, 8})
            EXPECT_TRUE(shared.concern(ranks, 1, Torus::line(ranks))) << family << " " << ranks;
    }
}

// Where there is nothing to move the MPI libraries return at once.
TEST(Selection, NothingIsNotMoved) {
    const Selection selection(built_in_rules("openmpi", Processors::own));
    for (const std::vector<int>& hosts : std::vector<std::vector<int>>{{0, 0}, {0, 0, 1, 1}}) {
        const Placement placement(hosts);
        Call call = broadcast_of(0, Torus::line(static_cast<int>(hosts.size())));
        call.placement = &placement;
        for (int i = 0; i < operations; ++i) {
            call.operation = static_cast<Operation>(i);
            if (call.operation != Operation::barrier) {
                EXPECT_EQ(selection.choose(call, 0), nullptr) << i;
            }
        }
    }
}

// The pieces that are on their way there and back in a large torus are more than the default looks ahead; few pieces need
// little.
TEST(Pieces, CoverTheWayThereAndBack) {
    Call call = broadcast_of(64 << 20, Torus::parse("48x12x32"));
    call.operation = Operation::allreduce;
    const Algorithm& three_ways = *find_algorithm(Operation::allreduce, "tree3");
    EXPECT_GE(look_ahead(three_ways, call), std::size_t{3} * 2 * (48 + 12 + 32));
    call.bytes = 1000;
    EXPECT_LE(look_ahead(three_ways, call), std::size_t{64});
    EXPECT_EQ(look_ahead(*find_algorithm(Operation::allreduce, "ring"), call), std::size_t{least_window});
}

TEST(Shape, IsReadOrRefused) {
    EXPECT_EQ(Torus::parse("8x6mx8").extents, (Coordinates{8, 6, 8}));
    EXPECT_EQ(Torus::parse("8x6mx8").wraps, (std::array<bool, 3>{true, false, true}));
    EXPECT_EQ(Torus::parse("384").ranks(), 384);
    for (const char* const shape : {"8x6mx8", "384", "1", "1m", "2x1mx1", "1x1x3", "5x4"}) {
        const Torus torus = Torus::parse(shape);
        EXPECT_EQ(Torus::parse(torus.text()), torus) << shape;
    }
    EXPECT_EQ(Torus::parse("8x6m").text(), "8x6m");
    for (const char* const shape : {"", "8x", "x8", "8x0", "8x6x8x2", "8y6", "8 6", "-4", "8xm"})
        EXPECT_THROW(Torus::parse(shape), base::Error) << shape;
}

}  // namespace
}  // namespace kumihimo::collectives
