// Packing, unpacking and copying between streams against byte-by-byte copies: every element size and order of loops, random
// patterns, random ranges. KUMIHIMO_TEST_SEED repeats a run.
#include "copying/streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace kumihimo::copying;
using kumihimo::sets::Blocks, kumihimo::sets::Extents;

class Streams : public testing::Test {
protected:
    Index between(Index low, Index high) { return random_.between(low, high); }

    std::vector<std::byte> noise(Index size) { return random_.data(static_cast<std::size_t>(size)); }

    // An array of dimensions of random sizes, seen with its axes in any order, some backwards: no byte occurs twice.
    Extents permuted_array(Index length, std::size_t dimensions) {
        std::vector<Index> counts, strides;
        Index stride = length + (between(0, 1) == 0 ? 0 : between(1, 5));
        for (std::size_t d = 0; d < dimensions; ++d) {
            counts.push_back(d < 2 && between(0, 3) == 0 ? between(60, 300) : between(1, 7));
            strides.push_back(between(0, 5) == 0 ? -stride : stride);
            stride *= counts.back() + between(0, 1);
        }
        std::vector<std::size_t> axes(dimensions);
        std::iota(axes.begin(), axes.end(), std::size_t{0});
        std::shuffle(axes.begin(), axes.end(), random_.engine());
        Extents extents = Extents::contiguous(length);
        for (const std::size_t axis : axes) extents = extents.repeated(counts[axis], strides[axis]);
        return extents;
    }

    Extents several_arrays(Index length) {
        std::vector<std::pair<Index, Extents>> parts;
        Index end = 0;
        for (Index i = between(1, 4); i > 0; --i) {
            const Extents part = permuted_array(between(0, 1) == 0 ? length : between(1, 70), between(0, 3));
            parts.emplace_back(end - part.true_lower() + between(0, 9), part);
            end = parts.back().first + part.true_upper();
        }
        return Extents::sequence(parts);
    }

    // Equal and unequal elements at irregular places.
    Extents list(Index length) {
        std::vector<std::pair<Index, Index>> blocks;
        Index place = 0;
        for (Index i = between(1, 200); i > 0; --i) {
            blocks.emplace_back(place, between(0, 9) == 0 ? between(1, 70) : length);
            place += blocks.back().second + between(0, 5);
        }
        return Extents::blocks(blocks);
    }

    Extents pattern() {
        static constexpr Index lengths[] = {1, 2, 3, 4, 7, 8, 12, 16, 20, 24, 32, 40, 64, 100};
        const Index length = lengths[between(0, 13)];
        if (between(0, 3) == 0) return list(length);
        return between(0, 2) == 0 ? several_arrays(length) : permuted_array(length, between(0, 4));
    }

    kumihimo::support::Random random_;
};

// A pattern in memory of its own, with room around it that nobody may touch.
struct Image {
    std::vector<std::byte> bytes;
    Memory memory;
    std::vector<Index> places;  // in `bytes`, of every stream byte of `tiles` copies

    Image(const Extents& pattern, Index tiles, std::vector<std::byte> contents) : bytes(std::move(contents)) {
        const Index base = 8 - pattern.true_lower();
        memory = {bytes.data() + base, pattern, period_of(pattern)};
        for (Index tile = 0; tile < tiles; ++tile)
            for (Index i = 0; i < pattern.size(); ++i) places.push_back(base + tile * memory.period + pattern.offset(i));
    }
    static Index period_of(const Extents& pattern) { return pattern.true_upper() - pattern.true_lower() + 3; }
    static Index room(const Extents& pattern, Index tiles) { return tiles * period_of(pattern) + 16; }
};

TEST_F(Streams, GatherAndScatter) {
    Index moved = 0;
    for (int round = 0; round < kumihimo::support::rounds(4'000); ++round) {
        const Extents extents = pattern();
        if (extents.size() > 100'000) continue;
        const Index tiles = between(1, 3), size = tiles * extents.size();
        Image image(extents, tiles, noise(Image::room(extents, tiles)));
        const Index begin = between(0, 1) == 0 ? 0 : between(0, size), end = between(0, 1) == 0 ? size : between(begin, size);
        std::vector<std::byte> row(static_cast<std::size_t>(end - begin) + 1, std::byte{0x5a});
        gather(image.memory, begin, end, row.data());
        for (Index i = begin; i < end; ++i) ASSERT_EQ(row[i - begin], image.bytes[image.places[i]]) << "round " << round;
        ASSERT_EQ(row.back(), std::byte{0x5a});

        const std::vector<std::byte> news = noise(end - begin + 1);
        std::vector<std::byte> expected = image.bytes;
        for (Index i = begin; i < end; ++i) expected[image.places[i]] = news[i - begin];
        scatter(news.data(), image.memory, begin, end);
        ASSERT_TRUE(image.bytes == expected) << "round " << round;
        moved += end - begin;
    }
    EXPECT_GT(moved, 100'000);  // it was not all empty
}

TEST_F(Streams, BetweenPatterns) {
    Index moved = 0;
    for (int round = 0; round < (kumihimo::support::sanitized ? 300 : 2000); ++round) {
        const Extents a = between(0, 4) == 0 ? Extents::contiguous(between(1, 200'000)) : pattern();
        const Extents b = between(0, 4) == 0 ? Extents::contiguous(between(1, 200'000)) : pattern();
        const Index tiles = between(1, 3), size = tiles * std::min(a.size(), b.size());
        if (tiles * std::max(a.size(), b.size()) > 600'000) continue;
        const Image from(a, tiles, noise(Image::room(a, tiles)));
        Image to(b, tiles, noise(Image::room(b, tiles)));
        const Index bytes = between(0, size), from_begin = between(0, size - bytes), to_begin = between(0, size - bytes);
        std::vector<std::byte> expected = to.bytes;
        for (Index i = 0; i < bytes; ++i) expected[to.places[to_begin + i]] = from.bytes[from.places[from_begin + i]];
        copy(from.memory, from_begin, to.memory, to_begin, bytes);
        ASSERT_TRUE(to.bytes == expected) << "round " << round;
        moved += bytes;
    }
    EXPECT_GT(moved, 100'000);  // it was not all empty
}

TEST_F(Streams, BlocksPackAndUnpack) {
    for (Index length = 1; length <= 80; ++length)
        for (const Index stride : {length, length + 1, 3 * length, -length - 2}) {
            const Blocks blocks{stride < 0 ? -9 * stride : 5, length, 10, stride};
            const Index room = 9 * std::abs(stride) + length + 5;
            const std::vector<std::byte> from = noise(room);
            std::vector<std::byte> row(static_cast<std::size_t>(blocks.size())), back(from.size());
            ASSERT_EQ(pack(from.data(), blocks, row.data()), row.data() + row.size());
            for (Index i = 0; i < blocks.size(); ++i)
                ASSERT_EQ(row[i], from[blocks.offset + i / length * stride + i % length]) << length << " " << stride;
            ASSERT_EQ(unpack(row.data(), blocks, back.data()), row.data() + row.size());
            for (Index i = 0; i < blocks.size(); ++i)
                ASSERT_EQ(back[blocks.offset + i / length * stride + i % length], row[i]) << length << " " << stride;
        }
}

}  // namespace
