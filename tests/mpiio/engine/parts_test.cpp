// The pure parts of collective transfers, against brute force: coverage, domains, costs and the choice between
// strategies.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "mpiio/engine/direct/coverage.hpp"
#include "mpiio/engine/direct/hints.hpp"
#include "mpiio/engine/direct/model.hpp"
#include "mpiio/engine/direct/pieces.hpp"
#include "mpiio/engine/direct/two_phase.hpp"
#include "sets/extents.hpp"

namespace kumihimo::mpiio::direct {
namespace {

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    Index operator()(Index least, Index most) { return std::uniform_int_distribution<Index>(least, most)(random_); }

private:
    std::mt19937 random_;
};

std::vector<Blocks> draw_blocks(Draw& draw, Index grain) {
    std::vector<Blocks> blocks;
    Index at = grain * draw(0, 5);
    for (Index i = draw(0, 5); i > 0; --i) {
        const Index length = grain * draw(1, 6), count = draw(1, 5);
        const Index stride = count == 1 ? 0 : length + grain * draw(0, 3);
        blocks.push_back({at, length, count, stride});
        at = blocks.back().end() + grain * draw(0, 4);
    }
    return blocks;
}

void add_offsets(const Blocks& blocks, std::vector<Index>& offsets) {
    for (Index i = 0; i < blocks.count; ++i)
        for (Index j = 0; j < blocks.length; ++j) offsets.push_back(blocks.offset + i * blocks.stride + j);
}

TEST(Coverage, FindsTheStretchesOfOverlappingParts) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Draw draw(seed);
        const Index grain = draw(1, 4), begin = 0, end = grain * 200, gap = draw(0, 6);
        Coverage coverage(begin, end);
        std::set<Index> bytes;
        for (int rank = 0; rank < 3; ++rank)
            for (const Blocks& blocks : draw_blocks(draw, grain)) {
                coverage.add(blocks);
                std::vector<Index> offsets;
                add_offsets(blocks, offsets);
                bytes.insert(offsets.begin(), offsets.end());
            }
        std::vector<std::pair<Index, Index>> expected, found;
        for (const Index offset : bytes) {
            if (expected.empty() || offset - expected.back().second > gap) expected.emplace_back(offset, offset);
            expected.back().second = offset + 1;
        }
        coverage.for_each(gap, [&](Index from, Index to) { found.emplace_back(from, to); });
        EXPECT_EQ(found, expected);
    }
}

// The parts of cyclic layouts fill a stretch; what is missing, twice, or out of step does not.
TEST(Coverage, OfCombsIsWhatTheirBytesAre) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Draw draw(seed);
        const Index ranks = draw(1, 5), width = draw(1, 4), begin = draw(0, 30), end = begin + draw(1, 90);
        const Index missing = draw(-3, ranks - 1), twice = draw(-3, ranks - 1), shifted = draw(-3, ranks - 1);
        Coverage coverage(begin, end);
        std::set<Index> bytes;
        for (Index number = 0; number < ranks + 1; ++number) {
            const Index rank = number < ranks ? number : twice;
            if (rank < 0 || number == missing) continue;
            const Index offset = rank * width + (number == shifted ? 1 : 0), stride = ranks * width;
            const auto comb = Extents::contiguous(width).repeated(200 / stride + 1, stride).shifted(offset);
            comb.for_each_within(begin, end, [&](const Blocks& blocks) {
                coverage.add(blocks);
                std::vector<Index> offsets;
                add_offsets(blocks, offsets);
                bytes.insert(offsets.begin(), offsets.end());
            });
        }
        std::set<Index> found;
        Index last = -1;
        coverage.for_each(0, [&](Index from, Index to) {
            EXPECT_GT(from, last);
            last = to;
            for (; from < to; ++from) found.insert(from);
        });
        EXPECT_EQ(found, bytes);
    }
}

TEST(FileDomains, PartTheSpanAtAlignedBorders) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Draw draw(seed);
        const Index begin = draw(0, 1000), end = begin + draw(1, 2000), alignment = draw(1, 64);
        const int ranks = static_cast<int>(draw(1, 9)), wanted = static_cast<int>(draw(1, ranks));
        const FileDomains domains = FileDomains::cut({begin, end}, wanted, ranks, alignment, draw(1, 300));
        ASSERT_LE(domains.aggregators.size(), static_cast<std::size_t>(wanted));
        EXPECT_EQ(std::set<int>(domains.aggregators.begin(), domains.aggregators.end()).size(), domains.aggregators.size());
        Index at = domains.begin;
        EXPECT_LE(at, begin);
        for (std::size_t number = 0; number < domains.aggregators.size(); ++number) {
            EXPECT_EQ(at % alignment, 0);
            for (Index round = 0; round < domains.rounds(); ++round) {
                const Span window = domains.window(number, round);
                EXPECT_EQ(window.begin, at);
                at = window.end;
            }
            EXPECT_LT(domains.aggregators[number], ranks);
        }
        EXPECT_EQ(at, end);
    }
}

Blocks dealt(Index first, Index length, Index count, Index stride) {
    return {first, length, count, stride};
}

TEST(Pieces, AreStretchesOfTheFile) {
    std::vector<std::byte> odd(40), even(60);
    Pieces pieces;
    EXPECT_EQ(pieces.add(dealt(110, 10, 4, 20), odd.data()), odd.data() + 40);
    EXPECT_EQ(pieces.add(dealt(100, 10, 6, 20), even.data()), even.data() + 60);
    ASSERT_TRUE(pieces.sort());
    std::vector<std::pair<Index, std::vector<std::byte*>>> found;
    pieces.for_each_stretch([&](Index offset, std::vector<iovec>& rows) {
        found.emplace_back(offset, std::vector<std::byte*>());
        for (const iovec& row : rows) found.back().second.push_back(static_cast<std::byte*>(row.iov_base));
        for (const iovec& row : rows) EXPECT_EQ(row.iov_len, 10u);
    });
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].first, 100);
    EXPECT_EQ(found[0].second.size(), 9u);
    for (std::size_t i = 0; i < 9; ++i)
        EXPECT_EQ(found[0].second[i], (i % 2 == 0 ? even : odd).data() + 10 * (i / 2)) << "piece " << i;
    EXPECT_EQ(found[1], (std::pair<Index, std::vector<std::byte*>>{200, {even.data() + 50}}));
}

TEST(Pieces, ThatOverlapAreNoStretches) {
    std::vector<std::byte> row(100);
    Pieces pieces;
    pieces.add(dealt(0, 10, 3, 20), row.data());
    pieces.add(dealt(49, 10, 1, 10), row.data());
    EXPECT_FALSE(pieces.sort());
}

TEST(Cost, OfOperationsIsFoundFromWhatTheyTook) {
    Regression regression;
    Draw draw(1);
    const Cost truth = {50e-6, 2e-9};
    for (int i = 0; i < 200; ++i) {
        const auto bytes = static_cast<double>(draw(1, 1 << 20));
        regression.add(bytes, truth.of(1, bytes) * (0.9 + 0.002 * static_cast<double>(draw(0, 100))));
    }
    const Cost found = regression.fit({1e-3, 1e-9});
    EXPECT_NEAR(found.byte_s, truth.byte_s, 0.1 * truth.byte_s);
    EXPECT_NEAR(found.operation_s, truth.operation_s, 0.6 * truth.operation_s);
}

TEST(Cost, OfOperationsOfOneSizeScalesWhatWasExpected) {
    Regression regression;
    const Cost expected = {1e-6, 1e-9};
    EXPECT_EQ(regression.fit(expected).operation_s, expected.operation_s);
    for (int i = 0; i < 50; ++i) regression.add(1000, 20e-6);
    EXPECT_NEAR(regression.fit(expected).of(1, 1000), 20e-6, 1e-9);
}

// Every rank has `pieces` pieces of `piece_bytes`, dealt round.
Strategy choice(const char* kind, int ranks, Index pieces, Index piece_bytes, double correction = 1) {
    const FileSystem& system = file_system(std::string(kind) == "network" ? 0x65735546 : 0xEF53);
    std::vector<Summary> all(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        Summary& summary = all[static_cast<std::size_t>(rank)];
        summary.begin = rank * piece_bytes;
        summary.bytes = pieces * piece_bytes;
        summary.end = summary.begin + ((pieces - 1) * ranks + 1) * piece_bytes;
        summary.pieces = pieces;
        summary.write = system.write;
        summary.read = system.read;
    }
    const Situation here = {ranks, 2, system.network, Index{4} << 20, 0, correction};
    return cheaper(load_of(all, false, Index{4} << 20), here);
}

TEST(Choice, IsWhatTheTableOfMeasurementsSays) {
    EXPECT_EQ(choice("network", 4, 256, 4096), Strategy::two_phase);
    EXPECT_EQ(choice("local", 4, 100000, 40), Strategy::two_phase);
    EXPECT_EQ(choice("local", 4, 1, 1 << 20), Strategy::independent);
    EXPECT_EQ(choice("local", 2, 512, 16384), Strategy::two_phase) << "one rank at a time writes";
    EXPECT_EQ(choice("local", 4, 50, 40000), Strategy::two_phase) << "a box of 8 MB";
    EXPECT_EQ(choice("local", 2, 16, 1 << 19), Strategy::independent);
    EXPECT_EQ(choice("network", 4, 1, 16 << 20), Strategy::independent);
    EXPECT_EQ(choice("local", 1, 100000, 40), Strategy::independent);
}

TEST(Choice, FallsBackWhereTheEstimateWasWrong) {
    double correction = 1;
    for (int i = 0; i < 20; ++i) correction = corrected(correction, 0.01, 0.5);
    EXPECT_EQ(choice("local", 4, 10000, 400, correction), Strategy::independent);
    for (int i = 0; i < 400; ++i) correction = corrected(correction, 0, 0);
    EXPECT_EQ(choice("local", 4, 10000, 400, correction), Strategy::two_phase);
}

TEST(HintsOfTheEngine, AreReadBackAndNonsenseIsIgnored) {
    Parameters parameters;
    apply({{"cb_nodes", "3"},
           {"cb_buffer_size", "0"},
           {"romio_cb_write", "disable"},
           {"romio_ds_read", "perhaps"},
           {"kumihimo_collective", "two_phase"},
           {"kumihimo_write_behind", "off"},
           {"ind_rd_buffer_size", "12x"}},
          parameters);
    const Hints hints = as_hints(parameters);
    EXPECT_EQ(hints.at("cb_nodes"), "3");
    EXPECT_EQ(hints.at("cb_buffer_size"), "4194304");
    EXPECT_EQ(hints.at("romio_cb_write"), "disable");
    EXPECT_EQ(hints.at("romio_ds_read"), "automatic");
    EXPECT_EQ(hints.at("kumihimo_collective"), "two_phase");
    EXPECT_EQ(hints.at("kumihimo_write_behind"), "0");
    EXPECT_EQ(hints.at("ind_rd_buffer_size"), "4194304");
}

}  // namespace
}  // namespace kumihimo::mpiio::direct
