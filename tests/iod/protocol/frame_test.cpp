// Frames: header, limits, checksums.
#include "iod/protocol/frame.hpp"

#include <gtest/gtest.h>

#include "tests/iod/protocol/samples.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod {
namespace {

FrameHeader sample_header() {
    return {Type::drain, flag_checksum | flag_answer, 0x0a0b0c0d, 0, 77, 0};
}

TEST(Frames, ThereAndBack) {
    const Payload payload = encode(sample_status());
    const HeaderBytes bytes = encode_header(sample_header(), payload);
    const FrameHeader header = decode_header(bytes, largest_frame);
    EXPECT_EQ(header.type, Type::drain);
    EXPECT_TRUE(header.answer());
    EXPECT_EQ(header.session, 0x0a0b0c0du);
    EXPECT_EQ(header.length, payload.size());
    EXPECT_EQ(header.request, 77u);
    EXPECT_NO_THROW(check_payload(bytes, payload));
}

TEST(Frames, PayloadInTwoPieces) {
    const Payload payload = encode(sample_open());
    const std::span whole(payload);
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size()})
        EXPECT_EQ(encode_header(sample_header(), whole.first(cut), whole.subspan(cut)), encode_header(sample_header(), whole));
}

// The checksum was computed by another implementation (Python's xxhash).
TEST(Frames, GoldenBytes) {
    const Payload payload(std::as_bytes(std::span("abc", 3)));
    const HeaderBytes bytes = encode_header({Type::records, flag_checksum, 2, 0, 0x0102, 0}, payload);
    const std::array<int, header_bytes> golden = {0x4b, 0x48, 0x4a, 0x31, 0x20, 0,    1,    0,    2,    0,   0,
                                                  0,    3,    0,    0,    0,    2,    1,    0,    0,    0,   0,
                                                  0,    0,    0x54, 0x80, 0x3b, 0x7c, 0x2b, 0xf2, 0x88, 0x1a};
    for (std::size_t i = 0; i < header_bytes; ++i) EXPECT_EQ(static_cast<int>(bytes[i]), golden[i]) << "byte " << i;
}

// Every single bit counts: of header and payload, damaged ones are refused (or, where the flag itself went, not checked).
TEST(Frames, EveryDamagedBitIsFound) {
    Payload payload = encode(Drain{1, 2, Purpose::sync, 3, {}});
    HeaderBytes bytes = encode_header(sample_header(), payload);
    const auto refused = [&] {
        try {
            const FrameHeader header = decode_header(bytes, largest_frame);
            if (header.length != payload.size()) return true;  // the connection's next header would be the middle of something
            check_payload(bytes, payload);
            return (header.flags & flag_checksum) == 0;
        } catch (const ProtocolError&) {
            return true;
        }
    };
    ASSERT_FALSE(refused());
    for (std::size_t bit = 0; bit < 8 * (bytes.size() + payload.size()); ++bit) {
        std::byte& hit = bit / 8 < bytes.size() ? bytes[bit / 8] : payload[bit / 8 - bytes.size()];
        hit ^= std::byte{1} << static_cast<int>(bit % 8);
        EXPECT_TRUE(refused()) << "bit " << bit;
        hit ^= std::byte{1} << static_cast<int>(bit % 8);
    }
}

TEST(Frames, Limits) {
    const Payload payload(100);
    const HeaderBytes bytes = encode_header({Type::hello, 0, 0, 0, 0, 0}, payload);
    EXPECT_NO_THROW(decode_header(bytes, 100));
    EXPECT_THROW(decode_header(bytes, 99), ProtocolError);
}

TEST(Frames, RandomBytes) {
    support::Random random;
    for (int round = 0; round < (support::long_form() ? 10'000'000 : 100'000); ++round) {
        HeaderBytes bytes = encode_header(sample_header(), {});
        for (std::int64_t hits = random.between(1, 32); hits > 0; --hits)
            bytes[static_cast<std::size_t>(random.between(0, 31))] = static_cast<std::byte>(random.between(0, 255));
        try {
            EXPECT_LE(decode_header(bytes, 4096).length, 4096u);
        } catch (const ProtocolError&) {
        }
    }
}

}  // namespace
}  // namespace kumihimo::iod
