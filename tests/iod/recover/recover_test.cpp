// Recovery from what a crash left: the file after a replay is the one that the records make in a map of bytes; mutated and cut
// off journals (KUMIHIMO_TEST_LONG=1: fifty times as many) change nothing but what their whole records say.
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "../records/byte_map.hpp"
#include "iod/recover/report.hpp"
#include "iod/recover/survivors.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::recover {
namespace {

namespace fs = std::filesystem;
using iod::testing::ByteMap;

class Recover : public ::testing::Test {
protected:
    Recover() {
        fs::create_directories(journals);
        write(file, old);
    }

    static void write(const fs::path& path, const Payload& bytes) {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    static Payload read(const fs::path& path) {
        std::ifstream stream(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        return Payload(std::as_bytes(std::span(text)));
    }
    // A journal of random records, whose bytes go to `expected`, too.
    Payload journal(support::Random& random, std::uint32_t node, ByteMap* expected) {
        const JournalHeader header{named.string(), {}, node, 0, 1'700'000'000};
        Payload bytes = encode_journal_header(header);
        const std::uint64_t seed = journal_seed(bytes);
        for (std::uint64_t number = 0; number < 4; ++number) {
            Batch records;
            for (Offset offset = random.between(0, 400); offset < 900; offset += random.between(40, 300))
                records.add(offset, random.data(static_cast<std::size_t>(random.between(1, 40))));
            if (expected != nullptr)
                records.for_each([&](Offset offset, std::span<const std::byte> data) { expected->add(offset, data); });
            const Payload head = encode_journal_block(number, number % 2 == 0, records, seed);
            bytes.append(head);
            bytes.append(records.bytes);
        }
        return bytes;
    }
    Survivors find() const { return find_survivors(file.string(), {journals.string()}); }
    void check(const ByteMap& expected) {
        const Payload found = read(file);
        for (std::size_t at = 0; at < found.size(); ++at) {
            const auto byte = expected.bytes().find(static_cast<Offset>(at));
            ASSERT_EQ(found[at], byte != expected.bytes().end() ? byte->second
                                 : at < old.size()              ? old[at]
                                                                : std::byte{0})
                << at;
        }
        const Offset end = expected.bytes().empty() ? 0 : expected.bytes().rbegin()->first + 1;
        ASSERT_GE(found.size(), static_cast<std::size_t>(end));
    }

    const support::ScratchDirectory scratch;
    const fs::path directory = scratch.path();
    const fs::path journals = directory / "journals", file = directory / "result of a run.nc";
    const fs::path marker = directory / (".result of a run.nc.kumihimo-incomplete-0-1-" + std::string(32, '0')),
                   first = journals / "kumihimo-journal-1-0";
    fs::path named = file;  // by the program that wrote it
    const Payload old = Payload(500, std::byte{7});
};

TEST_F(Recover, NothingIsLeftOfACompleteFile) {
    EXPECT_TRUE(find().empty());
    EXPECT_NE(report(find()).find("nothing was left"), std::string::npos);
}

TEST_F(Recover, JournalsAreReplayedInOrder) {
    support::Random random;
    ByteMap expected;
    write(first, journal(random, 0, &expected));
    write(journals / "kumihimo-journal-1-1", journal(random, 1, &expected));
    write(marker, {});
    Survivors found = find();
    ASSERT_EQ(found.journals.size(), 2u);
    ASSERT_EQ(found.marks.size(), 1u);
    EXPECT_EQ(found.marks[0].path, marker.string());
    EXPECT_FALSE(found.damaged());
    EXPECT_NE(report(found).find("is incomplete"), std::string::npos);
    replay(found);
    EXPECT_FALSE(found.marks.empty());
    check(expected);
    remove(found, true);
    EXPECT_TRUE(find().empty());
}

TEST_F(Recover, OtherFilesJournalsStay) {
    support::Random random;
    fs::create_symlink(file, directory / "link");
    write(first, journal(random, 0, nullptr));
    EXPECT_EQ(find_survivors((directory / "link").string(), {journals.string()}).journals.size(), 1u);
    named = directory / "journals" / ".." / "link";
    write(first, journal(random, 0, nullptr));
    EXPECT_EQ(find().journals.size(), 1u);
    EXPECT_TRUE(find_survivors((directory / "another").string(), {journals.string()}).empty());
}

// /tmp is everybody's.
TEST_F(Recover, WhatOthersCallAJournalIsNone) {
    ASSERT_EQ(::mkfifo(first.c_str(), 0600), 0);
    ASSERT_EQ(find().unreadable.size(), 1u);  // and nobody waits for its writer
    EXPECT_NE(report(find()).find(first.string()), std::string::npos);
    fs::remove(first);
    if (::geteuid() != 0) GTEST_SKIP() << "to have a file of another user needs root";
    support::Random random;
    write(first, journal(random, 0, nullptr));
    fs::permissions(directory, static_cast<fs::perms>(0755));
    fs::permissions(journals, static_cast<fs::perms>(0755));
    fs::permissions(first, static_cast<fs::perms>(0644));
    ASSERT_EQ(::seteuid(54321), 0);
    const Survivors found = find();
    ASSERT_EQ(::seteuid(0), 0);
    EXPECT_TRUE(found.journals.empty());
    EXPECT_EQ(found.unreadable.size(), 1u);
}

TEST_F(Recover, DiscardingLeavesTheFileAsItIs) {
    support::Random random;
    write(first, journal(random, 0, nullptr));
    write(marker, {});
    remove(find(), false);
    check({});
    EXPECT_TRUE(find().empty());
}

TEST_F(Recover, DamagedJournalsAreKeptWithTheirMarkers) {
    support::Random random;
    Payload bytes = journal(random, 0, nullptr);
    bytes.resize(bytes.size() - 1);
    write(first, bytes);
    write(marker, {});
    Survivors found = find();
    EXPECT_TRUE(found.damaged());
    replay(found);
    remove(found, true);
    EXPECT_FALSE(find().marks.empty());
    EXPECT_EQ(find().journals.size(), 1u);
}

// Without a marker it depends on what came last.
TEST_F(Recover, OldJournalsAreNotReplayedIntoACompleteFile) {
    support::Random random;
    write(first, journal(random, 0, nullptr));
    EXPECT_TRUE(find().replayable());
    fs::last_write_time(file, fs::last_write_time(first) + std::chrono::seconds(1));
    EXPECT_FALSE(find().replayable());
    write(marker, {});
    EXPECT_TRUE(find().replayable());
}

TEST_F(Recover, AJournalThatIsWrittenIsNotTouched) {
    support::Random random;
    write(first, journal(random, 0, nullptr));
    FILE* const writer = std::fopen(first.c_str(), "r");
    ASSERT_EQ(::flock(::fileno(writer), LOCK_EX), 0);
    EXPECT_TRUE(find().in_use());
    std::fclose(writer);
    EXPECT_FALSE(find().in_use());
}

// Whatever happened to a journal: what is replayed is a prefix of what was written.
TEST_F(Recover, MutatedJournalsWriteNothingThatNobodyWrote) {
    support::Random random;
    int harmed = 0;
    for (int round = 0; round < 1000 * (support::long_form() ? 50 : 1); ++round) {
        ByteMap expected;
        Payload bytes = journal(random, 0, nullptr);
        const auto at = static_cast<std::size_t>(random.between(0, static_cast<Offset>(bytes.size()) - 1));
        if (random.one_of(3))
            bytes.resize(at);
        else
            bytes[at] ^= static_cast<std::byte>(random.between(1, 255));
        write(first, bytes);
        const Survivors found = find();
        ASSERT_EQ(found.journals.size() + found.unreadable.size(), 1u) << round;
        if (found.journals.empty() || found.damaged()) ++harmed;
        ASSERT_TRUE(found.journals.empty() || found.journals[0].whole_bytes <= at) << round;
    }
    EXPECT_GE(harmed, 990 * (support::long_form() ? 50 : 1));  // cut off between two blocks, a journal is whole
}

}  // namespace
}  // namespace kumihimo::iod::recover
