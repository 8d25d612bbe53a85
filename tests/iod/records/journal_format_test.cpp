// Journals that a crash or a bad disk damaged: every truncation and thousands of mutations are detected, or change nothing that
// is told. KUMIHIMO_TEST_LONG=1: fifty times as many.
#include "iod/records/journal_format.hpp"

#include <gtest/gtest.h>

#include "byte_map.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::testing {
namespace {

struct Journal {
    JournalHeader header;
    std::vector<Batch> blocks;
    Payload bytes;
    std::vector<std::size_t> ends;  // of the header, and of each block
};

Journal made(support::Random& random) {
    Journal journal;
    journal.header = {"/scratch/result of run 7.nc", {}, 3, 1, 1'700'000'000};
    for (std::byte& byte : journal.header.opened) byte = static_cast<std::byte>(random.between(0, 255));
    journal.bytes = encode_journal_header(journal.header);
    journal.ends.push_back(journal.bytes.size());
    const std::uint64_t seed = journal_seed(journal.bytes);
    for (Offset i = random.between(1, 4); i > 0; --i) {
        Batch records;
        for (Offset offset = random.between(0, 50); records.places.size() < 5; offset += random.between(30, 60))
            records.add(offset, random.data(static_cast<std::size_t>(random.between(1, 30))));
        const Payload head = encode_journal_block(journal.blocks.size(), i % 2 == 0, records, seed);
        journal.bytes.append(head);
        journal.bytes.append(records.bytes);
        journal.ends.push_back(journal.bytes.size());
        journal.blocks.push_back(records);
    }
    return journal;
}

// How many blocks are whole, after it was checked that they are the ones which were written. -1: no header.
int whole_blocks(std::span<const std::byte> bytes, const Journal& journal) {
    const auto opened = decode_journal_header(bytes);
    if (!opened) return -1;
    EXPECT_EQ(opened->header, journal.header);
    std::span<const std::byte> rest = bytes.subspan(opened->header_bytes);
    for (int number = 0;; ++number) {
        const auto whole = decode_journal_block(rest, static_cast<std::uint64_t>(number), opened->seed);
        if (!whole) return number;
        const Batch& written = journal.blocks.at(static_cast<std::size_t>(number));
        EXPECT_TRUE(std::ranges::equal(whole->data, written.bytes));
        EXPECT_TRUE(
            std::ranges::equal(whole->block.places, written.places, [](const RecordPlace& one, const RecordPlace& other) {
                return one.offset == other.offset && one.bytes == other.bytes;
            }));
        rest = rest.subspan(whole->bytes);
    }
}

TEST(JournalFormat, WhatWasWrittenIsRead) {
    support::Random random;
    for (int round = 0; round < 100; ++round) {
        const Journal journal = made(random);
        ASSERT_EQ(whole_blocks(journal.bytes, journal), static_cast<int>(journal.blocks.size()));
    }
}

TEST(JournalFormat, EveryTruncationLeavesTheWholeBlocksBeforeIt) {
    support::Random random;
    const Journal journal = made(random);
    for (std::size_t bytes = 0; bytes <= journal.bytes.size(); ++bytes) {
        const auto whole = std::ranges::upper_bound(journal.ends, bytes) - journal.ends.begin() - 1;
        ASSERT_EQ(whole_blocks(std::span(journal.bytes).first(bytes), journal), whole) << bytes;
    }
}

// Bits, bytes and stretches change, parts repeat, vanish, or change places.
std::vector<std::byte> mutated(support::Random& random, std::vector<std::byte> bytes) {
    const auto size = static_cast<Offset>(bytes.size());
    const Offset at = random.between(0, size - 1), length = random.between(1, std::min<Offset>(size - at, 40));
    const auto first = bytes.begin() + at;
    switch (random.between(0, 4)) {
        case 0:
            *first ^= static_cast<std::byte>(1 << random.between(0, 7));
            break;
        case 1:
            std::generate_n(first, length, [&] { return static_cast<std::byte>(random.between(0, 255)); });
            break;
        case 2:
            bytes.erase(first, first + length);
            break;
        case 3: {
            const std::vector<std::byte> part(first, first + length);
            bytes.insert(bytes.begin() + random.between(0, size), part.begin(), part.end());
            break;
        }
        default:
            std::rotate(first, first + length / 2, first + length);
    }
    return bytes;
}

TEST(JournalFormat, MutationsAreDetectedOrHarmless) {
    support::Random random;
    int detected = 0;
    for (int round = 0; round < 5000 * (support::long_form() ? 50 : 1); ++round) {
        const Journal journal = made(random);
        const auto bytes = mutated(random, {journal.bytes.begin(), journal.bytes.end()});
        const auto at = static_cast<std::size_t>(std::ranges::mismatch(bytes, journal.bytes).in1 - bytes.begin());
        const int whole = whole_blocks(bytes, journal);
        if (HasFailure()) FAIL() << "round " << round;
        const auto untouched = std::ranges::upper_bound(journal.ends, at) - journal.ends.begin() - 1;
        ASSERT_EQ(whole, std::ranges::equal(bytes, journal.bytes) ? static_cast<int>(journal.blocks.size())
                                                                  : static_cast<int>(untouched));
        if (whole < static_cast<int>(journal.blocks.size())) ++detected;
    }
    EXPECT_GT(detected, 3000);
}

}  // namespace
}  // namespace kumihimo::iod::testing
