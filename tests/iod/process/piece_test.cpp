// What a server's writer gets: records in a row at places that a device likes, and a file that is the same either way.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "iod/catwalk/assembler.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::process {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t block = File::block_bytes;

std::vector<std::byte> pattern(Offset offset, std::size_t bytes) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>((static_cast<std::size_t>(offset) + i) * 131 >> 3);
    return made;
}

TEST(Piece, LongRunsLieAtTheirPlaceWithinABlock) {
    Piece piece(64 * block);
    EXPECT_EQ(piece.add(10, pattern(10, 100), false), 100u);
    EXPECT_EQ(piece.add(5000, pattern(5000, 70000), true), 70000u);
    EXPECT_EQ(piece.add(75000, pattern(75000, 100), false), 100u);  // goes on
    ASSERT_EQ(piece.runs().size(), 2u);
    const Piece::Run& run = piece.runs()[1];
    EXPECT_EQ(run.bytes, 70100u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.bytes_of(run).data()) % block, 5000u % block);
    EXPECT_TRUE(std::ranges::equal(piece.bytes_of(run), pattern(5000, 70100)));
}

// A short beginning must not keep what follows it from the device.
TEST(Piece, ALongRunBehindAShortOneIsARunOfItsOwn) {
    Piece piece(64 * block);
    piece.add(0, pattern(0, 100), false);
    piece.add(100, pattern(100, 70000), true);
    ASSERT_EQ(piece.runs().size(), 2u);
    EXPECT_TRUE(piece.runs()[1].aligned);
}

TEST(Piece, TakesWhatHasRoomAndNoMore) {
    Piece piece(2 * block);
    EXPECT_EQ(piece.add(block - 10, pattern(0, 3 * block), true), block + 10);
    EXPECT_EQ(piece.add(0, pattern(0, 1), false), 0u);
    piece.clear();
    EXPECT_TRUE(piece.empty());
    EXPECT_EQ(piece.add(0, pattern(0, 3 * block), false), 2 * block);
}

struct Assembled {
    explicit Assembled(std::size_t piece_bytes) : pool(piece_bytes, 2) {}
    void add(Offset offset, std::size_t bytes) {
        assembler.begin(offset);
        for (std::size_t done = 0; done < bytes; done += 248)  // as cells come
            assembler.put(pattern(offset + static_cast<Offset>(done), std::min<std::size_t>(248, bytes - done)));
    }
    PiecePool pool;
    std::vector<std::unique_ptr<Piece>> pieces;
    Assembler assembler{pool, [this](std::unique_ptr<Piece> piece) { pieces.push_back(std::move(piece)); }};
};

TEST(Assembler, RecordsThatFollowEachOtherAreOneRunThroughAllPieces) {
    Assembled made(256 << 10);
    const Offset begin = 12345;
    Offset end = begin;
    for (; end < begin + (1 << 20); end += 1000) made.add(end, 1000);
    made.assembler.finish();
    ASSERT_EQ(made.pieces.size(), 5u);
    Offset next = begin;
    for (const auto& piece : made.pieces) {
        ASSERT_EQ(piece->runs().size(), 1u);
        const Piece::Run& run = piece->runs()[0];
        EXPECT_TRUE(run.aligned);
        EXPECT_EQ(run.begin, next);
        EXPECT_TRUE(std::ranges::equal(piece->bytes_of(run), pattern(run.begin, run.bytes)));
        next = run.end();
        if (next < end) {
            EXPECT_EQ(static_cast<std::size_t>(next) % block, 0u) << "pieces meet between blocks";
        }
    }
    EXPECT_EQ(next, end);
}

TEST(Assembler, ShortRunsStandCloseUntilOneBecomesLong) {
    Assembled made(4 << 20);
    for (Offset at = 0; at < 100'000; at += 1000) made.add(at, 160);
    for (Offset at = 200'000; at < 500'000; at += 1000) made.add(at, 1000);
    made.assembler.finish();
    ASSERT_EQ(made.pieces.size(), 1u);
    const auto& runs = made.pieces[0]->runs();
    ASSERT_EQ(runs.size(), 102u);
    EXPECT_FALSE(runs[99].aligned);
    EXPECT_EQ(runs[99].at, runs[98].at + 160);
    EXPECT_TRUE(runs.back().aligned);
    EXPECT_EQ(runs.back().end(), 500'000);
}

// Runs of all lengths around blocks, with and without the page cache in turn: they do not see each other's leftovers.
TEST(File, LongWritesAreTheSameBytes) {
    const support::ScratchDirectory directory;
    const std::string path = (directory / "file").string();
    std::vector<std::byte> expected;
    {
        File file(path, "here");
        bool is_new = false;
        ASSERT_TRUE(file.open({true, true, true, false, false, 0644}, is_new).ok());
        file.pass_cache();
        std::mt19937_64 random(5);
        for (int i = 0; i < 60; ++i) {
            const auto offset = static_cast<Offset>(random() % (1 << 20));
            const std::size_t bytes = 1 + random() % (300 << 10);
            auto data = pattern(static_cast<Offset>(random() % 1000), bytes);
            Piece piece((bytes / block + 2) * block);
            const bool long_run = random() % 3 != 0;
            ASSERT_EQ(piece.add(offset, data, long_run), bytes);
            std::size_t cached = 0;
            const auto in_place = piece.bytes_of(piece.runs()[0]);
            ASSERT_TRUE((long_run ? file.write_long(offset, in_place, cached) : file.write(offset, in_place)).ok());
            EXPECT_LE(cached, bytes);
            expected.resize(std::max(expected.size(), static_cast<std::size_t>(offset) + bytes));
            std::ranges::copy(data, expected.begin() + offset);
        }
        ASSERT_TRUE(file.close().ok());
    }
    std::ifstream in(path, std::ios::binary);
    const std::string found(std::istreambuf_iterator<char>(in), {});
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), reinterpret_cast<const char*>(expected.data())));
}

}  // namespace
}  // namespace kumihimo::iod::process
