// The messages and bytes that the classic algorithms send on 4 and 8 ranks, against their formulas in the literature (Thakur,
// Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005). n: bytes of a vector, or of a
// block.
#include <gtest/gtest.h>

#include <bit>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives::test {
namespace {

struct Count {
    Bytes messages, bytes;
};

struct Formula {
    Operation operation;
    const char* algorithm;
    Count (*count)(Bytes p, Bytes log_p, Bytes n);
};

Count tree(Bytes p, Bytes, Bytes n) {
    return {p - 1, (p - 1) * n};
}
Count all_pairs(Bytes p, Bytes, Bytes n) {
    return {p * (p - 1), p * (p - 1) * n};
}
Count doubling(Bytes p, Bytes log_p, Bytes n) {
    return {p * log_p, p * (p - 1) * n};
}
Count halves(Bytes p, Bytes log_p, Bytes n) {
    return {p - 1, p / 2 * log_p * n};
}

const Formula formulas[] = {
    {Operation::broadcast, "linear", tree},
    {Operation::broadcast, "binomial", tree},
    {Operation::broadcast, "chain", tree},
    {Operation::reduce, "linear", tree},
    {Operation::reduce, "binomial", tree},
    {Operation::allreduce, "recursive_doubling",
     [](Bytes p, Bytes log_p, Bytes n) {
         return Count{p * log_p, p * log_p * n};
     }},
    {Operation::allreduce, "ring",
     [](Bytes p, Bytes, Bytes n) {
         return Count{2 * p * (p - 1), 2 * (p - 1) * n};
     }},
    {Operation::allreduce, "rabenseifner",
     [](Bytes p, Bytes log_p, Bytes n) {
         return Count{2 * p * log_p, 2 * (p - 1) * n};
     }},
    {Operation::reduce_scatter, "linear", all_pairs},
    {Operation::reduce_scatter, "pairwise", all_pairs},
    {Operation::reduce_scatter, "ring", all_pairs},
    {Operation::reduce_scatter, "halving", doubling},
    {Operation::allgather, "ring", all_pairs},
    {Operation::allgather, "recursive_doubling", doubling},
    {Operation::allgather, "bruck", doubling},
    {Operation::gather, "linear", tree},
    {Operation::gather, "binomial", halves},
    {Operation::scatter, "linear", tree},
    {Operation::scatter, "binomial", halves},
    {Operation::alltoall, "linear", all_pairs},
    {Operation::alltoall, "pairwise", all_pairs},
    {Operation::alltoall, "bruck",
     [](Bytes p, Bytes log_p, Bytes n) {
         return Count{p * log_p, p / 2 * log_p * p * n};
     }},
    {Operation::barrier, "binomial",
     [](Bytes p, Bytes, Bytes) {
         return Count{2 * (p - 1), 0};
     }},
    {Operation::barrier, "dissemination",
     [](Bytes p, Bytes log_p, Bytes) {
         return Count{p * log_p, 0};
     }},
};

bool works_on_a_vector(Operation operation) {
    return operation == Operation::broadcast || operation == Operation::reduce || operation == Operation::allreduce;
}

Call call_of(Operation operation, int ranks, Bytes bytes) {
    Call call;
    call.operation = operation;
    call.ranks = ranks;
    call.torus = Torus::parse(std::to_string(ranks));
    call.work_limit = Bytes{1} << 40;
    if (works_on_a_vector(operation))
        call.bytes = bytes;
    else
        call.block_bytes = call.send_blocks.bytes = call.receive_blocks.bytes = bytes;
    return call;
}

Count counted(const Algorithm& algorithm, Call call) {
    Count count{0, 0};
    for (call.rank = 0; call.rank < call.ranks; ++call.rank) {
        Steps steps = schedule(algorithm, call);
        while (const Step* const step = steps.next()) {
            if (step->action != Action::send) continue;
            ++count.messages;
            count.bytes += step->from.bytes;
        }
    }
    return count;
}

TEST(Counts, AreThoseOfTheLiterature) {
    for (const Formula& formula : formulas)
        for (const int ranks : {4, 8}) {
            const Bytes bytes = formula.operation == Operation::barrier ? 0 : 800;
            const Algorithm* const algorithm = find_algorithm(formula.operation, formula.algorithm);
            ASSERT_NE(algorithm, nullptr) << formula.algorithm;
            const Count expected = formula.count(ranks, std::bit_width(static_cast<unsigned>(ranks)) - 1, bytes);
            const Count found = counted(*algorithm, call_of(formula.operation, ranks, bytes));
            EXPECT_EQ(found.messages, expected.messages) << formula.algorithm << " on " << ranks;
            EXPECT_EQ(found.bytes, expected.bytes) << formula.algorithm << " on " << ranks;
        }
}

}  // namespace
}  // namespace kumihimo::collectives::test
