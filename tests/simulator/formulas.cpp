// Collective operations on one switch against the formulas of Thakur, Rabenseifner and Gropp: Optimization of Collective
// Communication Operations in MPICH, Int. J. High Performance Computing Applications 19 (2005), sections 4 and 5. There a
// message of n bytes takes alpha + n beta, and a reduction of n bytes n gamma; nothing else costs, and nobody shares a link.
// (Bcast by scatter and allgather is not among them: here ranks do not wait for the scatter's end.)
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "tests/simulator/simple.hpp"

namespace kumihimo::simulator {
namespace {

constexpr double alpha = 100, beta = 1, gamma = 0.25;  // ns, and ns a byte

Machine one_switch() {
    Machine machine = simple("fat-tree");
    machine.constants["radix"].number = 128, machine.constants["levels"].number = 1;
    for (const char* const nothing : {"hop_latency", "message_overhead"}) machine.constants[nothing].number = 0;
    machine.constants["reduction_rate"].number = 1e9 / gamma;
    machine.constants["segment"].number = 1 << 20;
    return machine;
}

struct Case {
    const char *operation, *algorithm;
    // p ranks, lg of them, n bytes of the vector or of a block
    std::function<double(double p, double lg, double n)> nanoseconds;
};

const Case cases[] = {
    {"Bcast", "binomial", [](double, double lg, double n) { return lg * (alpha + n * beta); }},
    {"Bcast", "chain", [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
    {"Reduce", "binomial", [](double, double lg, double n) { return lg * (alpha + n * beta + n * gamma); }},
    {"Allreduce", "recursive_doubling", [](double, double lg, double n) { return lg * (alpha + n * beta + n * gamma); }},
    {"Allreduce", "rabenseifner",
     [](double p, double lg, double n) { return 2 * lg * alpha + (p - 1) / p * n * (2 * beta + gamma); }},
    {"Allreduce", "ring",
     [](double p, double, double n) { return 2 * (p - 1) * alpha + (p - 1) / p * n * (2 * beta + gamma); }},
    {"Reduce_scatter", "halving", [](double p, double lg, double n) { return lg * alpha + (p - 1) / p * n * (beta + gamma); }},
    {"Allgather", "ring", [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
    {"Allgather", "recursive_doubling", [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
    {"Allgather", "bruck", [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
    {"Gather", "binomial", [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
    {"Scatter", "binomial", [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
    {"Alltoall", "pairwise", [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
    {"Alltoall", "bruck", [](double p, double lg, double n) { return lg * (alpha + p / 2 * n * beta); }},
    {"Barrier", "dissemination", [](double, double lg, double) { return lg * alpha; }},
};

TEST(Formulas, OfThakurRabenseifnerAndGropp) {
    const Machine machine = one_switch();
    for (const Case& one : cases)
        for (const int ranks : {2, 4, 8, 16, 32}) {
            const Bytes bytes = one.operation == std::string("Barrier") ? 0 : 4096;
            const double expected = one.nanoseconds(ranks, std::bit_width(static_cast<unsigned>(ranks)) - 1, 4096);
            const Time found = answer(machine, one.operation, one.algorithm, std::to_string(ranks), bytes).time;
            EXPECT_NEAR(static_cast<double>(found) / ns, expected, 0.001 * expected)
                << one.operation << " " << one.algorithm << " on " << ranks;
        }
}

// A pipeline of k pieces of s bytes through p ranks: (p - 1) (alpha + s beta) for the first one, and s beta for each other.
TEST(Formulas, OfAPipeline) {
    Machine machine = one_switch();
    machine.constants["segment"].number = 1024;
    for (const int ranks : {2, 5, 16})
        EXPECT_EQ(answer(machine, "Bcast", "chain", std::to_string(ranks), 16 * 1024).time,
                  ((ranks - 1) * (100 + 1024) + 15 * 1024) * ns);
}

// All send to one rank, whose processor takes o for a message. One after the other it takes messages while others come; in fair
// shares all arrive at the end together.
TEST(Formulas, OfManyToOneByBothWaysOfSharing) {
    Machine machine = one_switch();
    machine.constants["receive_overhead"] = {"", "", "assumed", "test", 1000.0 * ns};
    for (const int ranks : {3, 8, 33}) {
        const Time bytes = Time{ranks - 1} * 4096 * ns;
        const auto time = [&](const char* sharing) {
            return answer(machine, "Gather", "linear", std::to_string(ranks), 4096, 1, false, sharing).time;
        };
        EXPECT_EQ(time("reservation"), bytes + 100 * ns + 1000 * ns);
        EXPECT_NEAR(static_cast<double>(time("flows")), static_cast<double>(bytes + 100 * ns + (ranks - 1) * 1000 * ns),
                    1 * ns);
    }
}

}  // namespace
}  // namespace kumihimo::simulator
