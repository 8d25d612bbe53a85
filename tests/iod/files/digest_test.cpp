// Digests of files that grow, beside those of all their bytes at once.
#include "iod/files/digest.hpp"

#include <gtest/gtest.h>

#include <random>

using namespace kumihimo::iod;

namespace {

struct GrowingFile {
    std::vector<std::byte> bytes;
    std::size_t was_read = 0;

    void write(std::size_t at, std::size_t count, std::mt19937& random) {
        bytes.resize(std::max(bytes.size(), at + count));
        for (std::size_t i = at; i < at + count; ++i) bytes[i] = static_cast<std::byte>(random());
    }
    std::int64_t of(GrowingDigest& digest, std::size_t count) {
        was_read = 0;
        std::int64_t value = 0;
        const auto read = [&](Offset at, std::span<std::byte> to, std::size_t& got) {
            const auto from = std::min(static_cast<std::size_t>(at), bytes.size());
            got = std::min(to.size(), bytes.size() - from);
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), got, to.begin());
            was_read += got;
            return Status{};
        };
        EXPECT_TRUE(digest.reach(static_cast<Offset>(count), read, value).ok());
        return value;
    }
    std::int64_t at_once(std::size_t count) const {
        RunningDigest digest;
        digest.add(std::span(bytes).first(std::min(count, bytes.size())));
        return digest.value();
    }
};

TEST(GrowingDigest, ReadsOnlyWhatIsNew) {
    std::mt19937 random(1);
    GrowingFile file;
    GrowingDigest digest;
    for (const std::size_t count : {std::size_t{5}, std::size_t{3} << 20, std::size_t{1}}) {
        file.write(file.bytes.size(), count, random);
        EXPECT_EQ(file.of(digest, file.bytes.size()), file.at_once(file.bytes.size()));
        EXPECT_EQ(file.was_read, count);
    }
    EXPECT_EQ(file.of(digest, file.bytes.size() + 100), file.at_once(file.bytes.size())) << "no more than there is";
    EXPECT_EQ(file.was_read, 0u);
}

TEST(GrowingDigest, IsThatOfTheBytesNow) {
    std::mt19937 random(2);
    GrowingFile file;
    GrowingDigest digest;
    for (int round = 0; round < 300; ++round) {
        const std::size_t at = random() % (file.bytes.size() + 1), count = random() % 2000;
        digest.changed(static_cast<Offset>(at));
        file.write(at, count, random);
        const std::size_t asked = random() % (file.bytes.size() + 10);
        ASSERT_EQ(file.of(digest, asked), file.at_once(asked)) << "round " << round;
    }
}

TEST(GrowingDigest, GoesOnBehindAFailedRead) {
    std::mt19937 random(3);
    GrowingFile file;
    file.write(0, 3000, random);
    GrowingDigest digest;
    (void)file.of(digest, 1000);
    std::int64_t value = 0;
    const auto fails = [](Offset, std::span<std::byte>, std::size_t&) {
        return Status{Code::io_error, "a broken disk", "EIO"};
    };
    EXPECT_FALSE(digest.reach(2000, fails, value).ok());
    EXPECT_EQ(file.of(digest, 3000), file.at_once(3000));
    EXPECT_EQ(file.was_read, 2000u);
}

}  // namespace
