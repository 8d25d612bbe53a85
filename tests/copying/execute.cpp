// What execute copies, against a copy byte by byte: all boxes of few elements, random ones of all sizes, large transpositions,
// long runs at any distance. Nothing beside the target may change.
#include "copying/execute.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "copying/run.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace kumihimo;
using sets::Correspondence, sets::End, sets::Index, sets::PairedLevel;
using Bytes = std::vector<std::byte>;

class Execute : public testing::Test {
protected:
    void expect_copied(const Correspondence& copy) {
        constexpr Index room = 9;
        const Correspondence::Extent to = copy.extent(End::to), from = copy.extent(End::from);
        const Bytes source = noise(from.end - from.first);
        Bytes target = noise(to.end - to.first + 2 * room), expected = target;
        const Index to_start = room - to.first, from_start = -from.first;
        copy.for_each_run([&](Index at, Index place) {
            std::copy_n(source.begin() + from_start + place, copy.run(), expected.begin() + to_start + at);
        });
        copying::execute(copy.moved(to_start, from_start), target.data(), source.data());
        ASSERT_TRUE(target == expected) << copy.run() << " bytes, " << copy.levels().size() << " levels";
    }
    Bytes noise(Index size) { return random.data(static_cast<std::size_t>(size)); }

    // Levels of an array with gaps whose axes lie in memory in any order, some of them backwards: no byte of it occurs twice.
    std::vector<Index> strides(const std::vector<Index>& counts, Index run) {
        std::vector<std::size_t> order(counts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random.engine());
        std::vector<Index> result(counts.size());
        Index stride = run + (random.one_of(2) ? 0 : random.between(1, 9));
        for (const std::size_t d : order) {
            result[d] = random.one_of(4) ? -stride : stride;
            stride *= counts[d] + random.between(0, 1);
        }
        return result;
    }
    Correspondence box(Index run, const std::vector<Index>& counts) {
        const std::vector<Index> to = strides(counts, run);
        std::vector<Index> from = strides(counts, run);
        if (random.one_of(5))
            for (Index& stride : from) stride = random.one_of(2) ? 0 : stride;  // one to many
        std::vector<PairedLevel> levels;
        for (std::size_t d = 0; d < counts.size(); ++d) levels.push_back({counts[d], to[d], from[d]});
        return Correspondence(run, levels, random.between(-50, 50), random.between(-50, 50));
    }

    support::Random random;
};

TEST_F(Execute, AllSmallBoxes) {
    for (Index run = 1; run <= 80; ++run)
        for (Index rows = 1; rows <= 6; ++rows)
            for (Index columns = 1; columns <= 6; ++columns) {
                const Index to_gap = run % 3, from_gap = rows % 2;
                const Index to_width = columns * (run + to_gap), from_height = rows * (run + from_gap);
                const PairedLevel straight[] = {{rows, to_width, columns * (run + from_gap)},
                                                {columns, run + to_gap, run + from_gap}};
                const PairedLevel turned[] = {{rows, to_width, run + from_gap}, {columns, run + to_gap, from_height}};
                ASSERT_NO_FATAL_FAILURE(expect_copied(Correspondence(run, straight)));
                ASSERT_NO_FATAL_FAILURE(expect_copied(Correspondence(run, turned)));
            }
}

TEST_F(Execute, RandomBoxes) {
    static constexpr Index runs[] = {1, 2, 3, 4, 8, 8, 12, 16, 20, 24, 32, 40, 64, 65, 100, 1100, 3000};
    for (int round = 0; round < 3000; ++round) {
        const Index run = runs[random.between(0, 16)];
        std::vector<Index> counts;
        for (Index d = random.between(0, 5); d > 0; --d) counts.push_back(random.between(1, 4));
        if (run <= 100)
            for (std::size_t d = 0; d < 2 && d < counts.size(); ++d)
                if (random.one_of(3)) counts[d] = random.between(5, 60);
        if (std::accumulate(counts.begin(), counts.end(), run, std::multiplies<>()) > 200'000) continue;
        ASSERT_NO_FATAL_FAILURE(expect_copied(box(run, counts))) << "round " << round;
    }
}

// Large enough for stores that bypass the caches, at any alignment, with counts that leave rests.
TEST_F(Execute, LargeTranspositions) {
    for (const Index run : {4, 8, 16, 32})
        for (const Index shift : {Index{0}, run, Index{3}, 64 - run}) {
            const Index rows = (Index{5} << 20) / run / 512 + 5, columns = shift == run ? 511 : 512;
            const PairedLevel levels[] = {{rows, run, columns * run}, {columns, rows * run, run}};
            ASSERT_NO_FATAL_FAILURE(expect_copied(Correspondence(run, levels, shift, 0)));
            if (shift != 0) continue;
            ASSERT_NO_FATAL_FAILURE(expect_copied(Correspondence(run, levels).turned()));
        }
}

// By vectors, which other processors than this one may choose, and as this one copies.
TEST_F(Execute, RunsOfAnyLengthAndAlignment) {
    for (int round = 0; round < 400; ++round) {
        const Index bytes = random.one_of(10) ? random.between(200'000, 800'000) : random.between(0, 5000);
        const Index from = random.between(0, 99), to = random.between(0, 99);
        const Bytes source = noise(bytes + from);
        Bytes target = noise(bytes + to + 1), expected = target;
        std::copy_n(source.begin() + from, bytes, expected.begin() + to);
        const auto copy = round % 2 == 0 ? copying::copy_run_by_vectors : copying::copy_run;
        copy(target.data() + to, source.data() + from, static_cast<std::size_t>(bytes));
        ASSERT_TRUE(target == expected) << bytes << " bytes";
    }
}

}  // namespace
