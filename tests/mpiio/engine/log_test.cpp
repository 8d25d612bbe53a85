// The log of writes that were deferred, against an array of bytes; no MPI.
#include "mpiio/engine/direct/log.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

namespace kumihimo::mpiio::direct {
namespace {

using Bytes = std::map<Index, std::byte>;

Bytes contents(const WriteLog& log) {
    Bytes bytes;
    Index before = -1;
    log.for_each([&](Index offset, const std::byte* data, Index length) {
        EXPECT_GE(offset, before) << "pieces overlap";
        EXPECT_GT(length, 0);
        before = offset + length;
        for (Index i = 0; i < length; ++i) bytes[offset + i] = data[i];
    });
    return bytes;
}

class RandomLog {
public:
    explicit RandomLog(unsigned seed) : random_(seed), log_(4000) {}
    void step() {
        const Index offset = draw(0, 300), length = draw(1, 40);
        const Index kind = draw(0, 9);
        if (kind == 0)
            cut(offset, offset + length);
        else if (kind < 5)
            add(offset, length);
        else
            add(behind_, length);  // as most programs write
    }
    void check() {
        ASSERT_EQ(contents(log_), model_);
        EXPECT_EQ(log_.bytes(), static_cast<Index>(model_.size()));
        const Index begin = draw(0, 400), end = begin + draw(0, 30);
        const auto found = model_.lower_bound(begin);
        EXPECT_EQ(log_.overlaps(begin, end), found != model_.end() && found->first < end) << begin << " " << end;
        EXPECT_EQ(log_.empty(), model_.empty());
        if (log_.empty()) return;
        EXPECT_EQ(log_.lower(), model_.begin()->first);
        EXPECT_EQ(log_.upper(), model_.rbegin()->first + 1);
    }
    const WriteLog& log() const { return log_; }

private:
    Index draw(Index least, Index most) { return std::uniform_int_distribution<Index>(least, most)(random_); }
    void add(Index offset, Index length) {
        if (!log_.fits(length)) {
            log_.clear();
            model_.clear();
        }
        std::byte* const place = log_.add(offset, length);
        for (Index i = 0; i < length; ++i) model_[offset + i] = place[i] = static_cast<std::byte>(counter_++);
        behind_ = offset + length;
    }
    void cut(Index begin, Index end) {
        log_.cut(begin, end);
        model_.erase(model_.lower_bound(begin), model_.lower_bound(end));
    }
    std::mt19937 random_;
    WriteLog log_;
    Bytes model_;
    Index behind_ = 0;
    unsigned counter_ = 0;
};

TEST(WriteLog, HoldsWhatAnArrayOfBytesWouldHold) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        RandomLog random(seed);
        for (int step = 0; step < 150; ++step) {
            random.step();
            random.check();
            if (testing::Test::HasFailure()) FAIL() << "seed " << seed << " step " << step;
        }
    }
}

TEST(WriteLog, WritesThatFollowEachOtherAreOnePiece) {
    WriteLog log(100);
    for (Index i = 0; i < 10; ++i) std::memset(log.add(5 * i, 5), static_cast<int>(i), 5);
    EXPECT_EQ(log.pieces(), 1);
    EXPECT_FALSE(log.fits(51));
    EXPECT_TRUE(log.fits(50));
}

TEST(WriteLog, NeighboursInTheFileMakeOneStretchFromAnyOrder) {
    WriteLog log(100);
    for (const Index offset : {20, 0, 10, 40}) std::memset(log.add(offset, 10), static_cast<int>(offset), 10);
    std::vector<std::pair<Index, std::size_t>> stretches;
    log.for_each_stretch([&](Index offset, const std::vector<iovec>& memory) {
        Index bytes = 0;
        for (const iovec& piece : memory) {
            EXPECT_EQ(*static_cast<const char*>(piece.iov_base), static_cast<char>(offset + bytes));
            bytes += static_cast<Index>(piece.iov_len);
        }
        stretches.emplace_back(offset, bytes);
    });
    EXPECT_EQ(stretches, (std::vector<std::pair<Index, std::size_t>>{{0, 30}, {40, 10}}));
}

}  // namespace
}  // namespace kumihimo::mpiio::direct
