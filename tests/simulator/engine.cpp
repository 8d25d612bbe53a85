// The engine against formulas, against bounds, and against the link loads that the schedules themselves have.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <span>

#include "base/error.hpp"
#include "simulator/changes.hpp"
#include "simulator/descriptions.hpp"
#include "simulator/events.hpp"
#include "simulator/paces.hpp"
#include "simulator/sharing.hpp"
#include "tests/collectives/network.hpp"
#include "tests/simulator/simple.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::simulator {
namespace {

TEST(Formula, OneMessage) {
    EXPECT_EQ(answer(simple(), "PingPong", "", "4", 5000).time, one_message(5000));
    EXPECT_EQ(answer(simple(), "PingPong", "", "4", 0).time, one_message(0));
}

TEST(Formula, HeadersOfPackets) {
    Machine machine = simple();
    machine.constants["packet"].number = 1000, machine.constants["packet_header"].number = 100;
    EXPECT_EQ(answer(machine, "PingPong", "", "4", 1800).time, one_message(2000));
    EXPECT_EQ(answer(machine, "PingPong", "", "4", 1801).time, one_message(2101));
}

TEST(Formula, NodeCap) {
    Machine machine = simple();
    machine.constants["node_rate"].number = 0.5e9;
    EXPECT_EQ(answer(machine, "PingPong", "", "4", 10000).time, one_message(20000));
}

// On a line, a rank's message to the first one goes over all links that its neighbours use.
TEST(Formula, TwoOnOneLink) {
    Machine machine = simple();
    for (Axis& axis : machine.axes) axis.ring = false;
    const Time alone = answer(machine, "Sendrecv", "", "2", 100000).time,
               shared = answer(machine, "Sendrecv", "", "3", 100000).time;
    EXPECT_EQ(alone, one_message(100000));
    EXPECT_EQ(shared, one_message(100000, 2));  // - links are free: the message back shares none
    machine.axes[0].ring = true;
    EXPECT_EQ(answer(machine, "Sendrecv", "", "3", 100000).time, one_message(100000));
    // All send to rank 0 over its two links: three messages of two ranks come on one of them.
    EXPECT_GE(answer(machine, "Gather", "linear", "7", 100000).time, 3 * 100000 * ns);
}

TEST(Formula, ChainOfRanks) {
    Machine machine = simple();
    machine.constants["segment"].number = 4096;
    EXPECT_EQ(answer(machine, "Bcast", "chain", "9", 4096).time, 8 * one_message(4096));
}

TEST(Formula, RendezvousTakesTheReceiversAnswer) {
    Machine machine = simple();
    machine.constants["eager_limit"].number = 100;
    // The receive is posted at once, and the answer is there before the sender's processor is ready.
    EXPECT_EQ(answer(machine, "PingPing", "", "4", 5000).time, one_message(5000));
    machine.constants["message_overhead"].number = 0;
    EXPECT_EQ(answer(machine, "PingPing", "", "4", 5000).time, 2 * 110 * ns + 5000 * ns);
}

// The last piece is short enough to leave at once, and those before it are not.
TEST(Formula, ShortMessagesDoNotPassLongOnesThatWait) {
    Machine machine = simple();
    machine.constants["eager_limit"].number = 100;
    EXPECT_EQ(answer(machine, "Bcast", "tree1", "5x3x4", 16 * 1024 + 52).messages, 59 * 17);
}

TEST(Formula, ReductionsTakeTheProcessor) {
    Machine machine = simple();
    machine.constants["reduction_rate"].number = 1e9, machine.constants["segment"].number = 4096;
    EXPECT_EQ(answer(machine, "Reduce", "binomial", "2", 4096).time, one_message(4096) + 4096 * ns);
}

TEST(Formula, DisseminationTakesALogarithm) {
    Machine machine = simple();
    machine.constants["hop_latency"].number = 0;
    for (const int ranks : {2, 4, 8, 16}) {
        const Time time = answer(machine, "Barrier", "dissemination", std::to_string(ranks), 0).time;
        EXPECT_EQ(time, static_cast<Time>(std::log2(ranks)) * one_message(0, 0)) << ranks;
    }
}

TEST(Formula, TwiceTheRateIsHalfTheTime) {
    Machine machine = simple();
    for (const char* const name : {"hop_latency", "message_latency", "message_overhead"}) machine.constants[name].number = 0;
    Machine fast = machine;
    fast.constants["link_rate"].number *= 2;
    for (const char* const algorithm : {"tree3", "chain", "binomial"}) {
        const Time slow_time = answer(machine, "Bcast", algorithm, "3x4x3", 1 << 16).time;
        EXPECT_NEAR(
            static_cast<double>(slow_time) / static_cast<double>(answer(fast, "Bcast", algorithm, "3x4x3", 1 << 16).time), 2,
            0.001);
    }
}

TEST(Calls, OneAfterTheOtherOverlap) {
    const Time one = answer(simple(), "Bcast", "tree3", "4x4x4", 1 << 14).time;
    const Time many = answer(simple(), "Bcast", "tree3", "4x4x4", 1 << 14, 20, true).time;
    EXPECT_LT(many, one);
    EXPECT_GT(many, answer(simple(), "Bcast", "tree3", "4x4x4", 1 << 14, 20, true).bounds.processor);
}

TEST(Calls, SameBitsEachTime) {
    const Answer first = answer(simple(), "Allreduce", "tree3", "4x3x5", 1 << 15, 3),
                 second = answer(simple(), "Allreduce", "tree3", "4x3x5", 1 << 15, 3);
    EXPECT_EQ(first.time, second.time);
    EXPECT_EQ(first.link_bytes, second.link_bytes);
}

Question question_of(int calls, Start start) {
    Question question;
    question.calls = calls, question.start = start;
    return question;
}

Answer answered(const Machine& machine, const char* operation, const char* algorithm, const char* shape, Bytes bytes,
                const Question& question) {
    const Call call = call_of(machine, shape);
    const auto network = network_of(machine, call);
    const Program program(operation, algorithm, call, bytes, false);
    return run(machine, *network, network->place(extents(call.torus)), program, question);
}

TEST(Calls, InWindowsAndAfterBarriersAreLikeOneAlone) {
    const auto time = [](int calls, Start start) {
        return answered(simple(), "Bcast", "binomial", "8", 1 << 14, question_of(calls, start)).time;
    };
    const Time alone = time(1, Start::loop);
    EXPECT_EQ(time(5, Start::window), alone);
    EXPECT_LT(time(5, Start::loop), alone);
    EXPECT_GT(time(5, Start::barrier), time(5, Start::loop));
    const Answer once = answered(simple(), "Bcast", "binomial", "8", 1 << 14, question_of(1, Start::loop)),
                 after = answered(simple(), "Bcast", "binomial", "8", 1 << 14, question_of(5, Start::barrier));
    EXPECT_EQ(after.messages, 5 * once.messages);  // not those of the barrier
    EXPECT_EQ(after.bounds.processor, once.bounds.processor);
}

TEST(Noise, LengthensWorkAndFollowsItsSeed) {
    Question question;
    const auto time = [&] { return answered(simple(), "Allreduce", "ring", "16", 1 << 16, question).time; };
    const Time quiet = time();
    question.noise = {2000 * ns, 18000 * ns};
    const Time first = time();
    EXPECT_EQ(first, time());
    EXPECT_GT(first, quiet);
    question.seed = 2;
    EXPECT_NE(first, time());
}

// A processor that is interrupted for a tenth of its time takes a tenth longer.
TEST(Noise, TakesItsShare) {
    Interruptions interruptions({1000 * ns, 9000 * ns}, 1, 1);
    Time now = 0;
    for (int i = 0; i < 100000; ++i) now = interruptions.end(0, now, 500 * ns);
    EXPECT_NEAR(static_cast<double>(now) / (100000.0 * 500 * ns), 10.0 / 9, 0.01);
}

TEST(Skew, DelaysByAsMuchAtMost) {
    Question question = question_of(20, Start::window);
    const auto time = [&] { return answered(simple(), "Barrier", "dissemination", "16", 0, question).time; };
    const Time together = time();
    question.skew.most = 50000 * ns;
    EXPECT_GT(time(), together + 25000 * ns);
    EXPECT_LT(time(), together + 50000 * ns);
}

// ---- Blocks that differ ----

// On a ring of three every link carries what its two ranks have for each other.
TEST(Blocks, OfVFormsMayDiffer) {
    const Machine machine = simple();
    const Call call = call_of(machine, "3");
    const auto network = network_of(machine, call);
    const std::vector<int> nodes = network->place(extents(call.torus));
    const std::vector<Bytes> blocks{100, 3000, 800};
    const auto loads = [&](const char* operation, const char* algorithm) {
        const Program program(operation, algorithm, call, 1300, false, blocks);
        const Answer answer = run(machine, *network, nodes, program, Question());
        EXPECT_GE(answer.time, least(machine, *network, nodes, program).time) << operation;
        std::map<std::pair<int, int>, Bytes> found;
        for (int link = 0; link < network->links(); ++link)
            if (const auto ends = network->ends(link); ends.second >= 0) found[ends] += answer.link_bytes[at(link)];
        return found;
    };
    auto scatter = loads("Scatterv", "linear"), gather = loads("Gatherv", "linear"), all = loads("Alltoallv", "pairwise");
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ((scatter[{0, rank}]), rank == 0 ? 0 : blocks[at(rank)]);
        EXPECT_EQ((gather[{rank, 0}]), rank == 0 ? 0 : blocks[at(rank)]);
        for (int to = 0; to < 3; ++to) EXPECT_EQ((all[{rank, to}]), rank == to ? 0 : blocks[at((rank + to) % 3)]);
    }
    EXPECT_THROW(Program("Alltoall", "pairwise", call, 1300, false, blocks), base::Error);
    EXPECT_THROW(Program("Alltoallv", "pairwise", call, 1300, false, {1, 2}), base::Error);
}

TEST(Blocks, OfOneSizeTakeAVFormAsLongAsItsOperation) {
    const struct {
        const char *operation, *v, *algorithm;
    } cases[] = {{"Alltoall", "Alltoallv", "torus"},
                 {"Alltoall", "Alltoallv", "pairwise"},
                 {"Allgather", "Allgatherv", "rings2"},
                 {"Gather", "Gatherv", "linear"},
                 {"Scatter", "Scatterv", "linear"}};
    for (const auto& [operation, v, algorithm] : cases)
        EXPECT_EQ(answer(simple(), operation, algorithm, "4x3", 5000).time, answer(simple(), v, algorithm, "4x3", 5000).time)
            << v;
}

// ---- What is left out of long runs ----

Answer shortened(const Machine& machine, const char* operation, const char* algorithm, const char* shape, Bytes bytes,
                 Shorten shorten) {
    Question question;
    question.shorten = shorten;
    return answered(machine, operation, algorithm, shape, bytes, question);
}

// One rank takes 3 us for a piece. The other one begins later and takes 5, but 4.5 once the first one is done and no longer in
// its way.
TEST(Shortening, KnowsThatPacesChangeWhenFastRanksAreDone) {
    const auto took = [](int rank, double pieces, double of) {
        if (rank == 0) return 3 * pieces;
        const double before = (3 * of - 60) / 5;
        return pieces <= before ? 60 + 5 * pieces : 3 * of + 4.5 * (pieces - before);
    };
    const double all = 8000;
    double simulated = all;  // of each rank, once they suffice
    Paces paces(2, all);
    for (double time = 0, done[] = {0, 0}; simulated == all && done[1] < all; ++time)
        for (const int rank : {0, 1})
            if (took(rank, done[rank] + 1, simulated) <= time) {
                paces.completed(rank, static_cast<Time>(took(rank, ++done[rank], simulated) * 1e6));
                if (simulated == all && paces.follows(done[0]) == Paces::Follows::well) simulated = done[0];
            }
    EXPECT_LT(simulated, 0.3 * all);
    std::vector<Time> times;
    for (const int rank : {0, 1}) times.push_back(static_cast<Time>(took(rank, simulated, simulated) * 1e6));
    const Paces::Takes takes = paces.take(times, simulated);
    EXPECT_FALSE(takes.changed);
    for (const int rank : {0, 1}) {
        const double told = static_cast<double>(times[at(rank)]) + (all - simulated) * takes.of_ranks[at(rank)];
        EXPECT_NEAR(told / 1e6 / took(rank, all, all), 1, 0.005) << rank;
    }
}

// A rank is 100 pieces behind the other one, however many there are, and takes 4 us instead of 5 for these at the end.
TEST(Shortening, KnowsWhatRanksGainAtTheEndHoweverManyPiecesThereAre) {
    constexpr double all = 4000, behind = 100, half = 600;
    Paces paces(2, all);
    const auto last = [&](double pieces) { return 5 * pieces - behind; };  // of which the last 100 take 4 us each
    for (double i = 1; i <= half; ++i) {
        paces.completed(0, static_cast<Time>(5 * i * 1e6));
        if (i > behind) paces.completed(1, static_cast<Time>(5 * i * 1e6));
        paces.follows(i);
    }
    const std::vector<Time> times{static_cast<Time>(5 * half * 1e6), static_cast<Time>((5 * behind + last(half)) * 1e6)};
    const Paces::Takes takes = paces.take(times, half);
    EXPECT_NEAR(takes.of_ranks[1] / 1e6, 5, 0.01);
    EXPECT_NEAR((static_cast<double>(times[1]) + (all - half) * takes.of_ranks[1]) / 1e6, 5 * behind + last(all), 0.002 * all);
}

TEST(Shortening, OfPipelinesIsRight) {
    Machine machine = simple();
    machine.constants["segment"].number = 4096;
    const struct { const char *algorithm, *shape; } cases[] = {{"chain", "12"}, {"tree1", "12"}, {"tree3", "3x4x3"}};
    for (const auto& [algorithm, shape] : cases) {
        const Answer all = shortened(machine, "Bcast", algorithm, shape, 20 << 20, Shorten::never),
                     part = shortened(machine, "Bcast", algorithm, shape, 20 << 20, Shorten::automatic);
        EXPECT_EQ(all.simulated, 1);
        EXPECT_LT(part.simulated, 0.8) << algorithm;
        EXPECT_NEAR(static_cast<double>(part.time) / static_cast<double>(all.time), 1, 0.005) << algorithm;
        EXPECT_NEAR(static_cast<double>(part.messages) / static_cast<double>(all.messages), 1, 0.002) << algorithm;
        EXPECT_GE(part.time, std::max({part.bounds.link, part.bounds.node, part.bounds.processor})) << algorithm;
    }
}

TEST(Shortening, OfExchangesKnowsAllLoads) {
    const Machine machine = read_machine(KUMIHIMO_MACHINES "/k-computer.toml");
    const auto network = torus(machine, {4, 2, 4});
    const std::vector<int> nodes = network->place({8, 6, 8});
    EXPECT_EQ(network->each_to_each(nodes), network->Network::each_to_each(nodes));
    Call call = call_of(machine, "8x6x8");
    call.rounds_in_flight = 32;  // of 383: there is a middle in which as many are under way as ever will be
    const Program program("Alltoall", "torus", call, 16384, false);
    Question question;
    question.shorten = Shorten::never;
    const Answer all = run(machine, *network, nodes, program, question);
    question.shorten = Shorten::always;
    const Answer part = run(machine, *network, nodes, program, question);
    EXPECT_LT(part.simulated, 0.5);
    EXPECT_EQ(part.link_bytes, all.link_bytes);
    EXPECT_EQ(part.bounds.link, all.bounds.link);
    EXPECT_EQ(part.bounds.processor, all.bounds.processor);
    EXPECT_EQ(part.messages, all.messages);
    EXPECT_GT(part.interval, 0);
    EXPECT_GE(part.time, std::max({part.bounds.link, part.bounds.node, part.bounds.processor}));
    EXPECT_NEAR(static_cast<double>(part.time) / static_cast<double>(all.time), 1, 0.03);
}

TEST(Shortening, OfExchangesSimulatesAsManyMessagesAsItMay) {
    const Machine machine = simple();
    Call call = call_of(machine, "8x6x8");
    call.rounds_in_flight = 4;
    const auto network = network_of(machine, call);
    const Program program("Alltoall", "torus", call, 1000, false);
    Question question;
    const auto simulated = [&](std::int64_t messages) {
        question.sampled = messages;
        return run(machine, *network, network->place({8, 6, 8}), program, question).simulated;
    };
    EXPECT_EQ(simulated(384 * 383), 1);
    EXPECT_NEAR(simulated(384 * 383 / 3), 1.0 / 3, 0.05);
    EXPECT_NEAR(simulated(384 * 383 / 4), 1.0 / 4, 0.05);
}

// ---- Both ways of sharing ----

Answer shared(const Machine& machine, const std::string& sharing, const char* operation, const char* algorithm,
              const char* shape, Bytes bytes) {
    return answer(machine, operation, algorithm, shape, bytes, 1, false, sharing);
}

TEST(Flows, AloneTakeWhatAReservationTakes) {
    for (const char* const operation : {"PingPong", "PingPing", "Sendrecv"})
        for (const Bytes bytes : {0, 1, 5000})
            EXPECT_EQ(shared(simple(), "flows", operation, "", "5", bytes).time,
                      shared(simple(), "reservation", operation, "", "5", bytes).time)
                << operation << " " << bytes;
}

// Two messages on one link each take half of its rate; reserved, the second waits for the first. Both end when both are
// through.
TEST(Flows, ShareALinkFairly) {
    Machine machine = simple();
    for (Axis& axis : machine.axes) axis.ring = false;
    machine.constants["message_overhead"].number = 0;
    // Ranks 1 and 2 send to 0: 2's bytes go through 1's link.
    const Time both = shared(machine, "flows", "Gather", "linear", "3", 100000).time;
    EXPECT_NEAR(static_cast<double>(both), 2 * 100000 * ns + 100 * ns + 20 * ns, 1000);
    EXPECT_EQ(both, shared(machine, "flows", "Gather", "linear", "3", 100000).time);
}

// A pipeline's pieces to one node: together, the first is as late as the last; in turn, as where they reserve links. Messages
// of different ranks share a link as before.
TEST(Flows, ToOneNodeGoInTurn) {
    Machine machine = simple();
    for (Axis& axis : machine.axes) axis.ring = false;
    machine.constants["message_overhead"].number = 0;
    const auto time = [&](const char* sharing, const char* operation, const char* algorithm) {
        return static_cast<double>(shared(machine, sharing, operation, algorithm, "4", 65536).time);
    };
    const double together = time("flows", "Bcast", "chain"), gathered = time("flows", "Gather", "linear");
    machine.in_turn = true;
    EXPECT_GT(together, 1.3 * time("flows", "Bcast", "chain"));
    EXPECT_NEAR(time("flows", "Bcast", "chain"), time("reservation", "Bcast", "chain"), 100 * ns);
    EXPECT_EQ(time("flows", "Gather", "linear"), gathered);
}

// Rank 0 gets 100,000 bytes of each of three at the same time, as fast as its node takes them.
TEST(Flows, FillANode) {
    Machine machine = simple("fat-tree");
    machine.constants["message_overhead"].number = 0;
    machine.constants["node_rate"].number = 0.5e9;
    EXPECT_NEAR(static_cast<double>(shared(machine, "flows", "Gather", "linear", "4", 100000).time), 600000.0 * ns, 200 * ns);
}

TEST(Flows, AgreeWithReservationOnATorus) {
    const Machine machine = read_machine(KUMIHIMO_MACHINES "/k-computer.toml");
    const auto network = torus(machine, {4, 2, 1});
    const Call call = call_of(machine, "8x6x2");
    const std::vector<int> nodes = network->place({8, 6, 2});
    const struct {
        const char *operation, *algorithm;
        Bytes bytes;
    } cases[] = {{"Bcast", "tree3", 1 << 20}, {"Reduce", "tree3", 1 << 20},   {"Allreduce", "tree3", 1 << 20},
                 {"Scatter", "tree3", 1024},  {"Scatter", "tree3", 16384},    {"Scatter", "tree3", 1 << 20},
                 {"Gather", "tree3", 16384},  {"Allgather", "rings3", 16384}, {"Gather", "axes", 4096},
                 {"Barrier", "axes", 0},      {"Alltoall", "torus", 4096}};
    for (const auto& one : cases) {
        const Program program(one.operation, one.algorithm, call, one.bytes, false);
        Question question;
        const auto reserved = static_cast<double>(run(machine, *network, nodes, program, question).time);
        question.sharing = "flows";
        const Answer flows = run(machine, *network, nodes, program, question);
        EXPECT_NEAR(static_cast<double>(flows.time) / reserved, 1, 0.05) << one.operation;
        EXPECT_GE(flows.time, std::max({flows.bounds.link, flows.bounds.node, flows.bounds.processor})) << one.operation;
    }
}

TEST(Events, ComeByTimeThenRankThenNumber) {
    Events events;
    std::vector<Event> all;
    std::uint64_t random = 1;
    Time now = 0;
    const auto push = [&](int count) {
        for (int i = 0; i < count; ++i) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            // From the same picosecond to a second later.
            const Time later = static_cast<Time>(random >> 24 >> (random >> 58 & 31)) * (i % 7 != 0);
            events.push({now + later, static_cast<int>(random >> 40 & 7), 0, static_cast<std::uint64_t>(all.size())});
            all.push_back({now + later, static_cast<int>(random >> 40 & 7), 0, static_cast<std::uint64_t>(all.size())});
        }
    };
    push(2000);
    for (int popped = 0; !events.empty(); ++popped) {
        EXPECT_EQ(events.next(), std::min_element(all.begin(), all.end())->time);
        const Event event = events.pop();
        const auto least = std::min_element(all.begin(), all.end());
        ASSERT_EQ(event.number, least->number) << popped;
        least->time = INT64_MAX;
        now = event.time;
        if (popped < 1000) push(popped % 3);
    }
}

TEST(Descriptions, AreSharedWhileTheyAreNeededAndForgottenThen) {
    Descriptions all;
    std::vector<std::pair<Descriptions::Number, Description>> steps;
    std::mt19937 random(7);
    Descriptions::Number last = ~Descriptions::Number{0};
    for (int i = 0; i < 100'000; ++i) {
        Description one;
        one.bytes = random() % 20'000;
        one.after[0] = {2, 1};
        last = all.add(one, last);
        for (const auto& [number, other] : steps) EXPECT_EQ(number == last, other == one);
        steps.emplace_back(last, one);
        if (steps.size() < 20) continue;
        const std::size_t gone = random() % steps.size();
        EXPECT_EQ(all[steps[gone].first], steps[gone].second);
        all.drop(steps[gone].first);
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    EXPECT_LT(all.size(), 3000);
}

TEST(Errors, NameWhatWasMeant) {
    const auto told = [](const std::string& operation, const std::string& algorithm, const std::string& shape) {
        try {
            answer(simple(), operation, algorithm, shape, 1024);
        } catch (const base::Error& error) {
            return std::string(error.what()) + "; " + error.advice();
        }
        return std::string("no error");
    };
    EXPECT_EQ(told("Bcst", "", "8"), "there is no operation 'Bcst'; did you mean 'Bcast'?");
    EXPECT_EQ(told("Bcast", "chan", "8"), "bcast has no algorithm 'chan'; did you mean 'chain'?");
    EXPECT_EQ(told("Bcast", "tree3", "8").substr(0, 39), "Bcast by tree3 does not suit this call;");
    EXPECT_EQ(told("PingPong", "", "1"), "PingPong takes two ranks or more; ");
}

// Ranks 5 to 16 wait: 5 after 17 steps for rank 9, the others for ranks that send nothing.
collectives::Steps waits_for_ever(Call call) {
    if (call.rank < 5) co_return;
    const collectives::Span nothing{};
    for (int i = 0; call.rank == 5 && i < 17; ++i) co_yield collectives::copy(nothing, nothing);
    co_yield collectives::receive(call.rank == 5 ? 9 : 0, nothing);
}

TEST(Errors, TellWhoWaitsForWhom) {
    const Machine machine = simple();
    const Call call = call_of(machine, "17");
    const auto network = network_of(machine, call);
    try {
        run(machine, *network, network->place({17}), Program(waits_for_ever, call), Question());
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_STREQ(error.what(), "the schedule got stuck: 12 ranks wait; rank 5, step 17, waits for rank 9");
    }
}

// ---- What if? ----

void expect_a_way(const Network& network, int from, int to) {
    std::vector<int> path;
    network.route(from, to, path);
    int here = from;
    for (const int link : path) {
        EXPECT_EQ(network.ends(link).first, here) << from << " to " << to << " by " << network.link_name(link);
        here = network.ends(link).second;
    }
    EXPECT_EQ(here, to);
}

std::unique_ptr<Network> network_of_24(const std::string& kind) {
    const Machine machine = simple(kind);
    return make_network(machine, 24, kind == "torus" ? std::vector<int>{4, 3, 2} : std::vector<int>());
}

TEST(Failures, AreGoneRound) {
    for (const char* const kind : {"torus", "fat-tree", "dragonfly"}) {
        Machine machine = simple(kind);
        machine.detours = true;
        const auto whole = network_of_24(kind);
        for (int from = 0; from < 24; ++from)
            for (int to = 0; to < 24; ++to) expect_a_way(*whole, from, to);
        // The links in the middle of two ways, and a node.
        std::vector<int> first, second;
        whole->route(0, 23, first);
        whole->route(23, 0, second);
        const std::vector<int> failed{first[first.size() / 2], second[second.size() / 2]};
        const auto left = with_failures(network_of_24(kind), machine,
                                        {{whole->node_name(7)}, {whole->link_name(failed[0]), whole->link_name(failed[1])}});
        EXPECT_TRUE(left->failed(7));
        for (int from = 0; from < 24; ++from)
            for (int to = 0; to < 24; ++to) {
                if (from == 7 || to == 7) continue;
                expect_a_way(*left, from, to);
                std::vector<int> path;
                left->route(from, to, path);
                for (const int link : path) {
                    EXPECT_TRUE(link != failed[0] && link != failed[1]);
                    EXPECT_NE(left->ends(link).second, 7);
                }
            }
    }
}

std::string told_by(const std::function<void()>& what) {
    try {
        what();
    } catch (const base::Error& error) {
        return std::string(error.what()) + "; " + error.advice();
    }
    return "no error";
}

TEST(Failures, CutNodesOff) {
    Machine machine = simple();
    machine.detours = true;
    for (Axis& axis : machine.axes) axis.ring = false;
    const auto line = [&] { return make_network(machine, 5, {5, 1, 1}); };
    EXPECT_EQ(told_by([&] {
                  with_failures(line(), machine, {{"x1y0z0"}, {}});
              }),
              "1 node is cut off from the other 3: x0y0z0; no way leads round these failures");
    // One direction of a cable is enough: nobody answers.
    EXPECT_EQ(told_by([&] {
                  with_failures(line(), machine, {{}, {"x3y0z0-x"}});
              }),
              "2 nodes are cut off from the other 3: x3y0z0, x4y0z0; no way leads round these failures");
    EXPECT_EQ(told_by([&] {
                  with_failures(line(), machine, {{"x9y0z0"}, {}});
              }),
              "there is no node 'x9y0z0'; the first one is called 'x0y0z0'");
    machine.detours = false;
    const auto ring = with_failures(make_network(simple(), 4, {4, 1, 1}), machine, {{}, {"x0y0z0+x"}});
    std::vector<int> path;
    EXPECT_EQ(told_by([&] { ring->route(0, 1, path); }),
              "messages from x0y0z0 to x1y0z0 would take x0y0z0+x, which failed, and simple makes no detours; ");
}

TEST(Background, TakesItsShareOfLinks) {
    const Machine machine = simple();
    const auto network = [&] { return make_network(machine, 4, {4, 1, 1}); };
    const auto left = with_background(network(), {{0, 2, 0.25e9}, {0, 1, 0.25e9}});
    EXPECT_DOUBLE_EQ(left->rate(0), 0.5e9);  // x0+x
    EXPECT_DOUBLE_EQ(left->rate(6), 0.75e9);
    EXPECT_DOUBLE_EQ(left->rate(1), 1e9);
    EXPECT_EQ(told_by([&] {
                  with_background(network(), {{0, 2, 0.75e9}, {0, 1, 0.25e9}});
              }),
              "other jobs' messages take all of x0y0z0+x: 1 of 1 GB/s; ");
}

TEST(Least, IsWhatNoAlgorithmSaves) {
    Machine machine = simple();
    // A root of six links, and of a node that takes four times as much as one of them.
    EXPECT_EQ(least_of(machine, "Scatter", "linear", "4x3x5", 6000).time, 59 * 1000 * ns);
    machine.constants["node_rate"].number = 4e9;
    EXPECT_EQ(least_of(machine, "Gather", "linear", "4x3x5", 6000).time, 59 * 1500 * ns);
    EXPECT_EQ(least_of(machine, "Gather", "linear", "4x3x5", 6000).where, "into x0y0z0");
    // A line of 4, in the middle of which 2 x 2 blocks of each two ranks go one way over a link.
    machine.axes[0].ring = false;
    machine.constants["node_rate"].number = 1e15;
    const Least line = least_of(machine, "Alltoall", "pairwise", "4", 1000);
    EXPECT_EQ(line.time, 4000 * ns);
    EXPECT_EQ(line.where, "through the middle of axis x");
}

// ---- Every algorithm on every kind of network ----

class Everywhere : public testing::TestWithParam<std::string> {};

TEST_P(Everywhere, CompletesAboveItsBounds) {
    const Machine machine = simple(GetParam());
    int runs = 0;
    for (const Listed& what : programs())
        for (int ranks = 1; ranks <= MOST_RANKS; ++ranks) try {
                const std::string sharing = ranks % 5 == 2 ? "flows" : "reservation";
                const Answer found =
                    answer(machine, what.operation, what.algorithm, std::to_string(ranks), 3000, 1, false, sharing);
                ++runs;
                const Bounds& bounds = found.bounds;
                const Time any = least_of(machine, what.operation, what.algorithm, std::to_string(ranks), 3000).time;
                EXPECT_GE(found.time, std::max({bounds.link, bounds.node, bounds.processor, bounds.chain, any}))
                    << what.operation << " " << what.algorithm << " " << ranks << " " << sharing;
                EXPECT_GE(std::max({bounds.link, bounds.node, bounds.processor}), any)
                    << what.operation << " " << what.algorithm;
            } catch (const base::Error& error) {
                const std::string words = error.what();
                EXPECT_TRUE(words.find("does not suit") != std::string::npos || words.find("two ranks") != std::string::npos)
                    << what.operation << " " << what.algorithm << " " << ranks << ": " << words;
            }
    EXPECT_GT(runs, 30 * MOST_RANKS);
}

INSTANTIATE_TEST_SUITE_P(Networks, Everywhere, testing::Values("torus", "fat-tree", "dragonfly"),
                         [](const auto& info) { return info.param == "fat-tree" ? "fat_tree" : info.param; });

// ---- Why it takes so long ----

TEST(Path, LeadsFromTheBeginToTheEnd) {
    for (const char* const sharing : {"reservation", "flows"}) {
        const Machine machine = simple();
        const Call call = call_of(machine, "4x3x5");
        const auto network = network_of(machine, call);
        const Program program("Allreduce", "tree3", call, 1 << 15, false);
        Question question;
        question.sharing = sharing;
        question.path = true;
        question.slices = 8;
        const Answer found = run(machine, *network, network->place(extents(call.torus)), program, question);
        ASSERT_FALSE(found.path.empty());
        EXPECT_EQ(found.path.front().begin, 0);
        EXPECT_EQ(found.path.back().end, found.time);
        for (std::size_t i = 1; i < found.path.size(); ++i) {
            const PathStep &before = found.path[i - 1], &step = found.path[i];
            EXPECT_EQ(before.end, step.begin);
            EXPECT_LE(step.begin, step.end);
            // A message begins where its sender is.
            EXPECT_EQ(before.rank, step.kind == PathStep::Kind::message ? step.peer : step.rank) << sharing << " " << i;
        }
        // Every byte takes a link a nanosecond.
        double busy = 0, bytes = 0;
        for (int link = 0; link < network->links(); ++link) {
            bytes += static_cast<double>(found.link_bytes[static_cast<std::size_t>(link)]);
            for (int slice = 0; slice < 8; ++slice)
                busy += found.timeline.share(link, slice) * static_cast<double>(found.timeline.length());
        }
        EXPECT_NEAR(busy / (bytes * ns), 1, sharing == std::string("flows") ? 0.05 : 1e-6);
    }
}

TEST(Chain, IsWhatAloneOneTakes) {
    Machine machine = simple();
    machine.constants["segment"].number = 4096;
    const auto chain = [&](const char* operation, const char* algorithm, const char* ranks, Bytes bytes) {
        return answer(machine, operation, algorithm, ranks, bytes).bounds.chain;
    };
    EXPECT_EQ(chain("Bcast", "chain", "9", 4096), 8 * one_message(4096));
    // Alone in the network, all send at once.
    EXPECT_EQ(chain("Gather", "linear", "7", 100000), one_message(100000, 3));
    machine.constants["eager_limit"].number = 0;
    EXPECT_EQ(chain("PingPong", "", "4", 5000), one_message(5000));
    machine.constants["message_overhead"].number = 0;
    EXPECT_EQ(chain("PingPing", "", "4", 5000), 2 * 110 * ns + 5000 * ns);
}

// When a step has started, and is done, if all ranks have as many links and processors as they want.
struct Unshared {
    collectives::Step step;
    Time start = 0, end = 0, arrives = 0;
};

// The longest chain by relaxation: all steps again and again, until nothing changes.
Time relaxed(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
             bool& all_in_view) {
    const Time overhead = machine.time("message_overhead");
    std::vector<std::vector<Unshared>> ranks;
    std::map<std::array<int, 3>, std::vector<Unshared*>> sent, received;
    for (int rank = 0; rank < program.ranks(); ++rank) {
        ranks.emplace_back();
        collectives::Steps steps = program.steps(rank, 0);
        while (const collectives::Step* const step = steps.next()) ranks.back().push_back({*step});
    }
    for (int rank = 0; rank < program.ranks(); ++rank)
        for (Unshared& one : ranks[static_cast<std::size_t>(rank)]) {
            if (one.step.action == collectives::Action::send) sent[{rank, one.step.peer, one.step.channel}].push_back(&one);
            if (one.step.action == collectives::Action::receive)
                received[{one.step.peer, rank, one.step.channel}].push_back(&one);
        }
    std::vector<int> path;
    for (bool changes = true; std::exchange(changes, false);) {
        for (auto& [lane, messages] : sent) {
            path.clear();
            network.route(nodes[static_cast<std::size_t>(lane[0])], nodes[static_cast<std::size_t>(lane[1])], path);
            for (std::size_t i = 0; i < messages.size(); ++i)
                received.at(lane)[i]->arrives =
                    messages[i]->start + (100 + static_cast<Time>(path.size()) * 10 + messages[i]->step.from.bytes) * ns;
        }
        for (int rank = 0; rank < program.ranks(); ++rank) {
            std::vector<Unshared>& steps = ranks[static_cast<std::size_t>(rank)];
            const std::size_t view = std::max<std::size_t>(program.look_ahead(rank, 0), collectives::least_window);
            all_in_view = all_in_view && steps.size() <= view;
            Time before = 0;
            std::map<std::array<int, 3>, Time> lanes;
            for (std::size_t i = 0; i < steps.size(); ++i) {
                Unshared& one = steps[i];
                if (i >= view) before = std::max(before, steps[i - view].end);
                Time ready = before;
                for (const collectives::Interval& after : one.step.after.intervals)
                    for (auto j = after.first; j <= after.last; ++j)
                        ready = std::max(ready, steps[static_cast<std::size_t>(j)].end);
                const Unshared was = one;
                const Bytes bytes = one.step.from.bytes;
                Time* const lane =
                    one.step.peer < 0 ? nullptr
                                      : &lanes[{one.step.action == collectives::Action::send, one.step.peer, one.step.channel}];
                if (lane != nullptr) ready = std::max(ready, *lane);
                switch (one.step.action) {
                    case collectives::Action::send:
                        one.start = ready + overhead;
                        one.end = one.start + bytes * ns;
                        break;
                    case collectives::Action::receive:
                        one.start = ready;
                        one.end = std::max(ready, one.arrives) + overhead;
                        break;
                    case collectives::Action::reduce:
                    case collectives::Action::copy:
                        one.end = ready + duration(bytes, machine["copy_rate"]);
                }
                if (lane != nullptr) *lane = one.start;
                changes = changes || one.start != was.start || one.end != was.end;
            }
        }
    }
    Time longest = 0;
    for (const auto& steps : ranks)
        for (const Unshared& one : steps) longest = std::max(longest, one.end);
    return longest;
}

TEST(Chain, IsTheOneByRelaxation) {
    const Machine machine = simple();
    int equal = 0;
    for (const char* const shape : {"2", "8", "3x5", "2x3x3"})
        for (const Listed& what : programs()) try {
                const Call call = call_of(machine, shape);
                const auto network = network_of(machine, call);
                const std::vector<int> nodes = network->place(extents(call.torus));
                const Program program(what.operation, what.algorithm, call, 3000, false);
                if (program.of_interfaces()) continue;  // its processors do next to nothing
                bool all_in_view = true;
                const Time longest = relaxed(machine, *network, nodes, program, all_in_view) / program.rounds(),
                           found = run(machine, *network, nodes, program, Question()).bounds.chain;
                EXPECT_LE(found, longest) << what.operation << " " << what.algorithm << " " << shape;
                EXPECT_GE(static_cast<double>(found), (all_in_view ? 1 : 0.9) * static_cast<double>(longest))
                    << what.operation << " " << what.algorithm << " " << shape;
                equal += all_in_view;
            } catch (const base::Error&) {  // does not suit
            }
    EXPECT_GT(equal, 80);
}

// The messages that tests/collectives counts, without time, over this network's links. Both route alike but where a message
// goes half round a ring: there the torus of collectives/ takes one direction, and this one each from every other node.
std::vector<Bytes> loads(const collectives::test::Network& schedules, const Network& network, const Call& call) {
    std::vector<Bytes> found(at(network.links()));
    std::vector<int> path;
    schedules.for_each_message([&](int from, int to, Bytes bytes) {
        path.clear();
        network.route(from, to, path);
        for (const int link : path) found[at(link)] += bytes;
    });
    const bool odd = std::ranges::all_of(call.torus.extents, [](int extent) { return extent % 2 == 1; });
    for (int rank = 0; rank < call.ranks && odd; ++rank)
        EXPECT_TRUE(std::ranges::equal(schedules.loads(rank), std::span(found).subspan(at(6 * rank), 6)));
    return found;
}

// Of algorithms with so many messages at most; least_compared: how many these are.
void expect_loads_of_schedules(const std::string& shape, int least_compared, double most_messages) {
    Machine machine = simple();
    machine.constants["segment"].number = 4096;
    int compared = 0;
    for (const collectives::Algorithm& algorithm : collectives::algorithms()) {
        Call call = call_of(machine, shape);
        call.operation = algorithm.operation;
        call.bytes = 6000;
        call.block_bytes = call.send_blocks.bytes = call.receive_blocks.bytes = 20;
        if (!usable(algorithm, call)) continue;
        std::string operation = collectives::name_of(algorithm.operation);
        operation[0] = static_cast<char>(std::toupper(operation[0]));
        using collectives::Operation;
        const bool of_vector = algorithm.operation == Operation::broadcast || algorithm.operation == Operation::reduce ||
                               algorithm.operation == Operation::allreduce;
        // Reduce_scatter's size is that of the whole vector.
        const Bytes bytes = of_vector ? 6000 : algorithm.operation == Operation::reduce_scatter ? 20 * call.ranks : 20;
        const double messages = Program(operation, algorithm.name, call_of(machine, shape), bytes, false).estimate().messages;
        if (messages > most_messages) continue;
        const collectives::test::Network schedules(algorithm, call);
        const Answer found = answer(machine, operation, algorithm.name, shape, bytes);
        EXPECT_EQ(found.messages, schedules.messages());
        EXPECT_TRUE(found.link_bytes == loads(schedules, *network_of(machine, call), call))
            << operation << " " << algorithm.name << " " << shape;
        ++compared;
    }
    EXPECT_GE(compared, least_compared);
}

TEST(Loads, AreThoseOfTheSchedules) {
    for (const char* const shape : {"9", "5x3", "3x5x3"}) expect_loads_of_schedules(shape, 30, 40e3);
}

// The paper's (table 1). The small ones of one and two axes differ from the third in nothing but axes, and the others in
// length.
TEST(Loads, AreThoseOfTheSchedulesOnThePaperSShapes) {
    if (support::sanitized) GTEST_SKIP() << "takes long under sanitizers";
    expect_loads_of_schedules("8x6x8", 25, 40e3);  // not of those in which each sends to each
    if (!support::long_form()) return;
    for (const char* const shape : {"384", "64x6", "8x6x8"}) expect_loads_of_schedules(shape, 30, 1e6);
}

// Without those in which each sends to each: they take minutes.
TEST(Loads, AreThoseOfTheSchedulesOnThePaperSLargeShapes) {
    if (!support::long_form()) GTEST_SKIP() << "takes long: KUMIHIMO_TEST_LONG=1";
    for (const char* const shape : {"3072", "48x64", "16x6x32", "16x12x16"}) expect_loads_of_schedules(shape, 10, 30e3);
    for (const char* const shape : {"18432", "128x144", "48x12x32", "24x24x32"}) expect_loads_of_schedules(shape, 10, 120e3);
}

// ---- The K computer ----

// Every step along a rank axis is one hop, also the one that closes the axis.
TEST(KComputer, NeighboursOfShapesAreNeighboursOfNodes) {
    const Machine machine = read_machine(KUMIHIMO_MACHINES "/k-computer.toml");
    const struct {
        const char* shape;
        std::vector<int> nodes;
    } cases[] = {{"8x6x8", {4, 2, 4}}, {"6x64", {1, 2, 16}}, {"384", {2, 2, 8}}, {"16x12x16", {8, 4, 8}}, {"48x64", {8, 4, 8}}};
    for (const auto& one : cases) {
        const Torus shape = Torus::parse(one.shape);
        const auto network = torus(machine, one.nodes);
        std::vector<int> axes;
        for (const int extent : shape.extents)
            if (extent > 1) axes.push_back(extent);
        const std::vector<int> nodes = network->place(axes);
        for (int rank = 0; rank < shape.ranks(); ++rank)
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                std::vector<int> path;
                const int next = shape.neighbour(rank, static_cast<int>(axis), 1);
                network->route(nodes[static_cast<std::size_t>(rank)], nodes[static_cast<std::size_t>(next)], path);
                EXPECT_EQ(path.size(), 1U) << one.shape << " rank " << rank << " axis " << axis;
            }
    }
}

}  // namespace
}  // namespace kumihimo::simulator
