// Frames that are compressed on slow ways: when that pays, what comes out again, and what damaged ones do.
#include "iod/link/compression.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>

#include "iod/link/connection.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::process {
namespace {

constexpr std::size_t frame = 1 << 20;

// A way that is always full, and carries `rate` bytes in a second.
class BusyWay {
public:
    explicit BusyWay(double rate) : rate_(rate) { choice.full(now_); }
    void carry(std::size_t bytes) {
        now_ += static_cast<double>(bytes) / rate_;
        choice.sent(bytes);
        choice.full(now_);
    }
    Compression choice;

private:
    double rate_, now_ = 0;
};

// How many of a thousand frames are compressed, where a compressor of `speed` leaves `left` of each.
int compressed_of_1000(double rate, double speed, double left) {
    BusyWay way(rate);
    int count = 0;
    for (int i = 0; i < 1000; ++i) {
        const bool pays = way.choice.looks() && way.choice.pays();
        if (pays) way.choice.compressed(frame, static_cast<std::size_t>(frame * left), frame / speed);
        way.carry(pays ? static_cast<std::size_t>(frame * left) : frame);
        count += pays ? 1 : 0;
    }
    return count;
}

TEST(Compression, PaysWhereTheWayIsSlowerThanWhatItSpares) {
    EXPECT_GE(compressed_of_1000(2.6e6, 300e6, 0.5), 990);
    EXPECT_GE(compressed_of_1000(100e6, 400e6, 0.5), 980);
    EXPECT_LE(compressed_of_1000(500e6, 300e6, 0.5), 40) << "a fast way";
    EXPECT_LE(compressed_of_1000(2.6e6, 300e6, 0.99), 20) << "bytes that nobody compresses";
    EXPECT_LE(compressed_of_1000(100e6, 110e6, 0.5), 40) << "a slow processor";
}

TEST(Compression, TakesItsTimeOnSlowWays) {
    for (const auto& [rate, level] : {std::pair{2.6e6, 6}, {10e6, 3}, {100e6, 1}}) {
        BusyWay way(rate);
        EXPECT_EQ(way.choice.level(), 1) << "nobody knows how slow it is";
        for (int i = 0; i < 20; ++i) way.carry(frame);
        EXPECT_EQ(way.choice.level(), level);
    }
}

// Whatever the buffers along it take in no time.
TEST(Compression, BeginsWithTheFirstFrameOfANewWay) {
    BusyWay way(1e12);
    std::size_t carried = 0;
    for (; carried < Compression::buffers; carried += frame / 2) {
        ASSERT_TRUE(way.choice.looks() && way.choice.pays()) << carried;
        way.choice.compressed(frame, frame / 2, 0.005);
        way.carry(frame / 2);
    }
    way.choice.empty();
    EXPECT_FALSE(way.choice.looks()) << "then the way is known to be fast";
}

TEST(Compression, OfANewWayOneFrameTellsThatNothingBecomesShorter) {
    Compression choice;
    ASSERT_TRUE(choice.looks() && choice.pays());
    choice.compressed(frame, frame, 0.005);
    EXPECT_FALSE(choice.pays());
}

TEST(Compression, FollowsWhatChanges) {
    BusyWay way(1e6);
    way.carry(Compression::buffers);
    for (int i = 0; i < 10; ++i) way.choice.compressed(frame, frame, 0.01);
    EXPECT_FALSE(way.choice.pays());
    for (int i = 0; i < 100; ++i)
        if (way.choice.pays()) way.choice.compressed(frame, frame / 4, 0.01);
    EXPECT_TRUE(way.choice.pays() && way.choice.pays()) << "it was tried again";
}

Payload text_of(std::size_t bytes) {
    Payload text(bytes);
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>("kumihimo braids "[i % 16] + i / 1000 % 3);
    return text;
}

class Compressed : public testing::Test {
protected:
    void SetUp() override {
        if (!Compressor::is_there()) GTEST_SKIP() << "built without zstd";
    }
    Compressor compressor_;
};

TEST_F(Compressed, ThereAndBack) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, frame + 3}) {
        const Payload head = text_of(bytes / 3), body = text_of(bytes - bytes / 3);
        Payload whole(head);
        whole.append(body);
        for (const int level : {1, 3, 6}) EXPECT_EQ(compressor_.expand(compressor_.compress(head, body, level), bytes), whole);
    }
}

TEST_F(Compressed, NoMoreMemoryThanAgreed) {
    const Payload bomb = compressor_.compress({}, Payload(frame, std::byte{0}), 1);
    EXPECT_LT(bomb.size(), frame / 100);
    EXPECT_THROW((void)compressor_.expand(bomb, frame - 1), ProtocolError);
}

TEST_F(Compressed, DamagedOnesAreRefusedOrOfTheAgreedLength) {
    const Payload right = compressor_.compress({}, text_of(3000), 1);
    for (std::size_t cut = 0; cut < right.size(); ++cut)
        EXPECT_THROW((void)compressor_.expand(std::span(right).first(cut), frame), ProtocolError) << cut;
    for (std::size_t bit = 0; bit < 8 * right.size(); ++bit) {
        Payload damaged(right);
        damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        try {
            EXPECT_LE(compressor_.expand(damaged, frame).size(), frame);
        } catch (const ProtocolError&) {  // as it should
        }
    }
}

// ---- between two ends ----

class Receiver : public Peer {
public:
    void arrived(Connection&, Arrival&& arrival) override { got.push_back(std::move(arrival)); }
    void ended(Connection&, const Status& status) override { why = status; }
    std::vector<Arrival> got;
    Status why;
};

class Between : public Compressed {
protected:
    Between() {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        from_ = std::make_shared<Connection>(loop_, base::Descriptor(ends[0]), Role{Role::parent}, nobody_);
        to_ = std::make_shared<Connection>(loop_, base::Descriptor(ends[1]), Role{Role::parent}, receiver_);
        for (const auto& end : {from_, to_}) {
            end->leads_away();
            end->largest_payload = largest_frame;
        }
        to_->begin();
    }
    // A slow way: after each pause no more than a few socket's buffers of bytes.
    void deliver(std::size_t frames) {
        while (receiver_.got.size() < frames && receiver_.why.ok()) {
            usleep(10'000);
            for (int i = 0; i < 4; ++i) loop_.poll_one();
        }
    }

    asio::io_context loop_;
    Receiver nobody_, receiver_;
    std::shared_ptr<Connection> from_, to_;
};

TEST_F(Between, WhatWaitsForASlowWayIsCompressed) {
    from_->compress();
    to_->compress();
    constexpr std::size_t frames = 20;
    for (std::size_t i = 0; i < frames; ++i) from_->send({Type::file_write, 0, 1, 0, i + 1, 0}, text_of(100), text_of(frame));
    deliver(frames);
    ASSERT_TRUE(receiver_.why.ok()) << receiver_.why.text;
    ASSERT_EQ(receiver_.got.size(), frames);
    Payload expected = text_of(100);
    const Payload body = text_of(frame);
    expected.append(body);
    std::size_t compressed = 0;
    for (const Arrival& arrival : receiver_.got) {
        EXPECT_EQ(arrival.payload, expected);
        EXPECT_EQ(arrival.header.length, expected.size());
        compressed += arrival.header.compressed() ? 1 : 0;
    }
    EXPECT_TRUE(receiver_.got.front().header.compressed()) << "from the first one on";
    EXPECT_GT(compressed, frames / 2) << "a compressor that another process interrupts is a slow one";
    EXPECT_EQ(from_->queued_bytes(), 0U);
}

TEST_F(Between, WhoDidNotOfferTakesNone) {
    from_->compress();
    const Payload shorter = compressor_.compress({}, text_of(frame), 1);
    from_->send({Type::file_write, flag_compressed, 1, 0, 1, 0}, Payload(shorter));
    deliver(1);
    EXPECT_TRUE(receiver_.got.empty());
    EXPECT_NE(receiver_.why.text.find("nobody offered"), std::string::npos) << receiver_.why.text;
}

}  // namespace
}  // namespace kumihimo::iod::process
