// The sort buffer against a map of bytes: all sequences of three small records, and random operations on larger ones.
#include "iod/records/record_buffer.hpp"

#include <gtest/gtest.h>

#include "byte_map.hpp"
#include "iod/records/scattered_records.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::testing {
namespace {

// A buffer and what it must hold.
class Pair {
public:
    Pair(std::size_t capacity, std::size_t largest, bool merge)
        : buffer(capacity, largest, merge), capacity_(capacity), largest_(largest) {}

    void add(Offset offset, std::span<const std::byte> data) {
        buffer.add(offset, data);
        bytes.add(offset, data);
    }
    void add_under(Offset offset, std::span<const std::byte> data) {
        buffer.add_under(offset, data);
        bytes.add_under(offset, data);
    }
    // All that begins in [begin, end), in ascending order.
    void take(Offset begin, Offset end, int times) {
        Offset last = begin;
        Taken taken{};
        Batch data;
        while (times-- > 0 && buffer.take(begin, end, taken, data)) {
            ASSERT_GE(taken.offset, last);
            ASSERT_LT(taken.offset, end);
            ASSERT_EQ(taken.bytes, data.bytes.size());
            ASSERT_LE(taken.bytes, largest_);
            ASSERT_TRUE(bytes.take(taken.offset, data.bytes));
            last = taken.offset + static_cast<Offset>(taken.bytes);
            data.clear();
        }
    }
    void check() const {
        ASSERT_EQ(buffer.data_bytes(), bytes.bytes().size());
        ASSERT_EQ(buffer.empty(), bytes.bytes().empty());
        ASSERT_LE(buffer.memory_bytes(), std::max(capacity_, std::size_t{64 << 10}));
        if (bytes.bytes().empty()) return;
        ASSERT_EQ(buffer.lowest(), bytes.bytes().begin()->first);
        ASSERT_EQ(buffer.highest_end(), bytes.bytes().rbegin()->first + 1);
    }
    RecordBuffer buffer;
    ByteMap bytes;

private:
    std::size_t capacity_, largest_;
};

void three_records(std::size_t largest, bool merge, int code) {
    Pair pair(0, largest, merge);
    for (int i = 0; i < 3; ++i, code /= 36) {
        const Offset begin = code % 6, end = code / 6 % 6;
        if (end <= begin || end - begin > static_cast<Offset>(largest)) continue;
        const std::vector<std::byte> data(static_cast<std::size_t>(end - begin), static_cast<std::byte>(i + 1));
        i == 1 && code % 2 == 0 ? pair.add_under(begin, data) : pair.add(begin, data);
    }
    pair.check();
    for (Offset begin = 0; begin < 6; ++begin)
        for (Offset end = begin; end < 7; ++end)
            ASSERT_EQ(pair.buffer.overlaps(begin, end), pair.bytes.overlaps(begin, end)) << begin << " " << end;
    pair.take(code % 5, 4, 1);
    pair.take(0, everything, 100);
    pair.check();
    ASSERT_TRUE(pair.bytes.bytes().empty());
}

TEST(RecordBuffer, AllTriplesOfSmallRecords) {
    for (const bool merge : {false, true})
        for (const std::size_t largest : {1, 3, 5, 100})
            for (int code = 0; code < 36 * 36 * 36; ++code) {
                three_records(largest, merge, code);
                if (HasFatalFailure()) FAIL() << "largest " << largest << " merge " << merge << " code " << code;
            }
}

// What stretch() must find.
std::optional<Stretch> first_stretch(const ByteMap& map, Offset bytes) {
    Stretch found{0, -1};
    for (const auto& [offset, byte] : map.bytes()) {
        if (offset != found.end) {
            if (found.end - found.begin >= bytes) return found;
            found.begin = offset;
        }
        found.end = offset + 1;
    }
    return found.end - found.begin >= bytes ? std::optional(found) : std::nullopt;
}

void one_step(support::Random& random, Pair& pair, Offset range, Offset largest, Offset& follow) {
    const Offset kind = random.between(0, 19), offset = random.between(0, 2) == 0 ? random.between(0, range) : follow;
    if (kind < 12) {
        const auto bytes = static_cast<std::size_t>(random.one_of(3) ? largest : random.between(0, largest));
        const std::vector<std::byte> data = random.data(bytes);
        if (!pair.buffer.fits(bytes)) return pair.take(random.between(0, range), everything, 9), pair.take(0, everything, 9);
        kind == 0 ? pair.add_under(offset, data) : pair.add(offset, data);
        follow = offset + static_cast<Offset>(bytes) + (random.one_of(4) ? random.between(0, largest) : 0);
        if (follow > range) follow = 0;
    } else if (kind < 15) {
        pair.buffer.split(offset);
    } else if (kind < 17) {
        const Offset begin = random.between(0, range);
        pair.take(begin, begin + random.between(0, range), static_cast<int>(random.between(0, 6)));
    } else {
        const Offset begin = random.between(0, range), end = begin + random.between(0, largest);
        ASSERT_EQ(pair.buffer.overlaps(begin, end), pair.bytes.overlaps(begin, end));
        const auto found = pair.buffer.stretch(static_cast<std::size_t>(largest)), wanted = first_stretch(pair.bytes, largest);
        ASSERT_EQ(found.has_value(), wanted.has_value());
        if (!found) return;
        ASSERT_EQ(found->begin, wanted->begin);
        ASSERT_EQ(found->end, wanted->end);
    }
}

TEST(RecordBuffer, RandomOperations) {
    support::Random random;
    for (int round = 0; round < support::rounds(200) * (support::long_form() ? 50 : 1); ++round) {
        const Offset largest = random.one_of(2) ? random.between(1, 30) : random.between(200, 2000);
        const Offset range = largest * random.between(1, 30);
        Pair pair(static_cast<std::size_t>(random.between(0, 100 << 10)), static_cast<std::size_t>(largest), random.one_of(2));
        Offset follow = 0;
        for (int step = 0; step < 300; ++step) {
            one_step(random, pair, range, largest, follow);
            if (!HasFatalFailure()) pair.check();
            if (HasFatalFailure()) FAIL() << "round " << round << " step " << step;
        }
        pair.take(0, everything, 1 << 20);
        ASSERT_TRUE(pair.bytes.bytes().empty());
    }
}

TEST(RecordBuffer, MemoryStaysBelowItsCapacity) {
    support::Random random;
    constexpr std::size_t capacity = 4 << 20;
    RecordBuffer buffer(capacity, 32 << 10, true);
    std::size_t most_data = 0;
    Taken taken{};
    Batch out;
    const std::vector<std::byte> data = random.data(160);
    for (int i = 0; i < 200'000; ++i) {
        while (!buffer.fits(data.size())) {
            buffer.take(0, everything, taken, out);
            out.clear();
        }
        buffer.add(random.between(0, 1 << 30), data);
        ASSERT_LE(buffer.memory_bytes(), capacity);
        most_data = std::max(most_data, buffer.data_bytes());
    }
    EXPECT_GE(most_data, capacity / 2);  // bookkeeping takes less than half of it at 160 bytes
}

// Nearly empty pages give way to scattered records before the buffer is full, and come back when it is empty.
TEST(RecordBuffer, WhatStaysFarApartNeedsNoPages) {
    support::Random random;
    constexpr std::size_t capacity = 256 << 10, bytes = 40;
    Pair pair(capacity, 32 << 10, true);
    for (int round = 0; round < 3; ++round) {
        std::size_t records = 0;
        for (; pair.buffer.fits(bytes); ++records) pair.add(random.between(0, 1 << 26), random.data(bytes));
        EXPECT_GT(records, capacity / 512);  // pages alone hold one record for each 4 KiB
        pair.check();
        pair.take(0, everything, 1 << 20);
        ASSERT_TRUE(pair.bytes.bytes().empty());
        for (Offset at = 0; at + Offset{bytes} <= 64 << 10; at += 2 * bytes) pair.add(at, random.data(bytes));
        EXPECT_LE(pair.buffer.parts(), 16u);  // pages
        pair.check();
        pair.take(0, everything, 1 << 20);
    }
}

// Of what leaves, one after the other.
template <typename Records>
std::vector<std::size_t> lengths(Records& records) {
    std::vector<std::size_t> found;
    Taken taken{};
    Batch out;
    while (records.take(0, everything, taken, out)) found.push_back(taken.bytes);
    return found;
}

template <typename Records>
void add_descending(Records& records, std::size_t bytes) {
    const std::vector<std::byte> data(bytes);
    for (Offset i = 29; i >= 0; --i) records.add(i * static_cast<Offset>(bytes), data);
}

TEST(RecordBuffer, NeighboursBecomeOneUpToTheLargestRecord) {
    RecordBuffer merging(1 << 20, 1024, true), plain(1 << 20, 1024, false);
    add_descending(merging, 128);
    add_descending(plain, 128);
    EXPECT_EQ(lengths(merging), (std::vector<std::size_t>{1024, 1024, 1024, 768}));
    EXPECT_EQ(lengths(plain), std::vector<std::size_t>(30, 128));
    EXPECT_EQ(merging.counts().merged, 26u);
    EXPECT_EQ(plain.counts().merged, 0u);
}

TEST(ScatteredRecords, NeighboursBecomeOneUpToTheLargestRecord) {
    RecordCounts counts;
    Slabs slabs(1 << 20);
    ScatteredRecords merging(1 << 20, 1000, true, slabs, counts);
    add_descending(merging, 100);
    EXPECT_EQ(merging.parts(), 3u);
    EXPECT_EQ(counts.merged, 27u);
    EXPECT_EQ(lengths(merging), std::vector<std::size_t>(3, 1000));
}

}  // namespace
}  // namespace kumihimo::iod::testing
