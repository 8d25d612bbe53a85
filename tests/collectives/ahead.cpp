// How far a runner must look ahead so that a pipeline is as fast as with all of its steps in view. A rank near the root of one
// tree and far from that of another has many pieces of the near one under way before the first of the far one has come.
#include <gtest/gtest.h>

#include "tests/collectives/timeline.hpp"

namespace kumihimo::collectives::test {
namespace {

Call call_of(Operation operation, const char* shape, Bytes bytes) {
    Call call;
    call.operation = operation;
    call.torus = Torus::parse(shape);
    call.ranks = call.torus.ranks();
    call.segment_bytes = 16384;
    if (operation == Operation::scatter || operation == Operation::gather)
        call.block_bytes = call.send_blocks.bytes = call.receive_blocks.bytes = bytes;
    else
        call.bytes = bytes;
    return call;
}

// Of the K computer, about: 5 GB/s a link, 0.8 us to start a message; in picoseconds.
constexpr Machine machine{800'000, 200};

struct Pipeline {
    Operation operation;
    const char* algorithm;
    const char* shape;
    Bytes bytes;
    double loss;  // how many times slower it is with 64 steps in view, at least
};

const Pipeline pipelines[] = {
    {Operation::broadcast, "tree6", "8x6x8", 2 << 20, 1.1}, {Operation::broadcast, "tree4", "64x6", 2 << 20, 2},
    {Operation::reduce, "tree6", "8x6x8", 2 << 20, 1.3},    {Operation::allreduce, "tree3", "8x6x8", 1 << 20, 2},
    {Operation::scatter, "tree4", "64x6", 16 << 10, 1.2},   {Operation::gather, "tree4", "64x6", 16 << 10, 1.2},
};

// In the tests' names; else GoogleTest prints its bytes.
void PrintTo(const Pipeline& pipeline, std::ostream* out) {
    *out << name_of(pipeline.operation) << ' ' << pipeline.algorithm;
}

class LookAhead : public testing::TestWithParam<Pipeline> {};

TEST_P(LookAhead, IsAsGoodAsAll) {
    if (MOST_RANKS < 17) GTEST_SKIP() << "takes long under sanitizers";
    const Pipeline& what = GetParam();
    const Call call = call_of(what.operation, what.shape, what.bytes);
    const Algorithm& algorithm = *find_algorithm(what.operation, what.algorithm);
    const auto time = [&](const auto& view) { return static_cast<double>(time_of(algorithm, call, machine, view)); };
    const double all = time([](const Call&) { return std::size_t{1} << 20; });
    const double ours = time([&](const Call& of_rank) { return look_ahead(algorithm, of_rank); });
    const double few = time([&](const Call&) { return std::size_t{64}; });
    EXPECT_LE(ours, 1.02 * all);
    EXPECT_GE(few, what.loss * all);
}

std::string pipeline_name(const testing::TestParamInfo<Pipeline>& info) {
    return std::string(name_of(info.param.operation)) + "_" + info.param.algorithm + "_" + info.param.shape;
}

INSTANTIATE_TEST_SUITE_P(Pipelines, LookAhead, testing::ValuesIn(pipelines), pipeline_name);

}  // namespace
}  // namespace kumihimo::collectives::test
