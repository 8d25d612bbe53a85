// Messages and their bytes: there and back, cut off at every length, and random bytes.
#include <gtest/gtest.h>

#include "iod/protocol/bulk.hpp"
#include "tests/iod/protocol/samples.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod {
namespace {

std::string hexadecimal(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        text += "0123456789abcdef"[static_cast<int>(byte) >> 4];
        text += "0123456789abcdef"[static_cast<int>(byte) & 15];
    }
    return text;
}

TEST(Messages, ThereAndBack) {
    each_sample([]<typename Message>(const Message& message) {
        const Payload bytes = encode(message);
        EXPECT_EQ(encode(decode<Message>(bytes)), bytes) << typeid(Message).name();
    });
    const Open open = decode<Open>(encode(sample_open()));
    EXPECT_EQ(open.path, "/scratch/result.nc");
    EXPECT_EQ(open.mode.permissions, 0640u);
    EXPECT_EQ(open.options.method, Method::journal);
    EXPECT_EQ(open.options.stripe, 1u << 20);
    EXPECT_TRUE(open.one_machine);
    const Opened opened = decode<Opened>(encode(sample_opened()));
    EXPECT_EQ(opened.status.code, Code::no_space);
    EXPECT_EQ(opened.child_tokens.at(0).at(1), sample_token(3));
    EXPECT_TRUE(opened.child_tokens.at(1).empty());
    const FileOpen alone{"data", {}, {}, true, true};
    const Payload bytes = encode(alone);
    EXPECT_TRUE(decode<FileOpen>(bytes).sole);
    EXPECT_FALSE(decode<FileOpen>(std::span(bytes).first(bytes.size() - 1)).sole) << "as earlier versions ask";
    const Payload renaming = encode(FileRename{"a", "b", 7});
    EXPECT_EQ(decode<FileRename>(renaming).file, 7u);
    EXPECT_EQ(decode<FileRename>(std::span(renaming).first(renaming.size() - sizeof(std::uint64_t))).file, 0u);
}

TEST(Messages, EveryTruncationIsRefused) {
    each_sample([]<typename Message>(const Message& message) {
        const Payload bytes = encode(message);
        for (std::size_t length = 0; length < bytes.size(); ++length) {
            const Payload cut(std::span<const std::byte>(bytes).first(length));  // its own, for the sanitizer
            EXPECT_THROW(decode<Message>(cut), ProtocolError) << typeid(Message).name() << " cut to " << length;
        }
    });
}

TEST(Messages, MoreThanIsKnownIsIgnored) {
    each_sample([]<typename Message>(const Message& message) {
        Payload bytes = encode(message);
        const Payload known = bytes;
        bytes.resize(bytes.size() + 13, std::byte{0});  // a field that may be left out is not set
        EXPECT_EQ(encode(decode<Message>(bytes)), known);
    });
}

// What a decoder makes of random bytes is never larger than they were: lists and strings cannot be announced, only sent.
TEST(Messages, RandomBytes) {
    support::Random random;
    const int rounds = support::long_form() ? 200'000 : 2'000;
    for (int round = 0; round < rounds; ++round) {
        each_sample([&]<typename Message>(const Message& message) {
            Payload bytes = encode(message);
            if (random.between(0, 1) == 0) bytes.resize(static_cast<std::size_t>(random.between(0, 200)));
            for (std::int64_t hits = random.between(1, 20); hits > 0 && !bytes.empty(); --hits)
                bytes[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bytes.size()) - 1))] =
                    static_cast<std::byte>(random.between(0, 255));
            try {
                EXPECT_LE(encode(decode<Message>(bytes)).size(), bytes.size()) << "seed " << random.seed();
            } catch (const ProtocolError&) {
            }
        });
    }
}

// The bytes of version 1: a change here is a change of the protocol.
TEST(Messages, GoldenBytes) {
    EXPECT_EQ(hexadecimal(encode(Status{Code::quota, "ab", "EDQUOT"})),
              "03000000"
              "02000000"
              "6162"
              "06000000"
              "454451554f54");
    EXPECT_EQ(hexadecimal(encode(Read{1, 0x1122, 4096, 0x33, true})),
              "01000000"
              "2211000000000000"
              "0010000000000000"
              "3300000000000000"
              "01");
    EXPECT_EQ(hexadecimal(encode(Call{2, Function::lock, -2, 7})),
              "02000000"
              "05"
              "feffffffffffffff"
              "0700000000000000");
    EXPECT_EQ(hexadecimal(encode(Drain{1, 2, Purpose::sync, 3, {}})),
              "01000000"
              "0200000000000000"
              "01"
              "0300000000000000"
              "00000000"
              "00000000"
              "00000000");
    EXPECT_EQ(hexadecimal(encode(Welcome{1, 1, 0x800000, "n"})),
              "0100"
              "0100000000000000"
              "00008000"
              "01000000"
              "6e");
    const RecordPlace places[] = {{256, 3}};
    EXPECT_EQ(hexadecimal(encode_records_head(1, places)),
              "01000000"
              "01000000"
              "0001000000000000"
              "03000000");
}

Payload records_payload(std::span<const RecordPlace> places, std::size_t bytes) {
    Payload payload = encode_records_head(4, places);
    payload.resize(payload.size() + bytes, std::byte{7});
    return payload;
}

TEST(Records, ThereAndBack) {
    const RecordPlace places[] = {{0, 3}, {1ll << 40, 2}};
    const Payload payload = records_payload(places, 5);
    const RecordsView view(payload);
    EXPECT_EQ(view.server(), 4u);
    ASSERT_EQ(view.count(), 2u);
    EXPECT_EQ(view.place(1).offset, 1ll << 40);
    EXPECT_EQ(view.place(1).bytes, 2u);
    EXPECT_EQ(view.bytes().size(), 5u);
    for (std::size_t length = 0; length < payload.size(); ++length)
        EXPECT_THROW(RecordsView(std::span(payload).first(length)), ProtocolError);
}

TEST(Records, ImpossibleOnesAreRefused) {
    const RecordPlace negative[] = {{-1, 3}}, behind[] = {{std::numeric_limits<Offset>::max() - 1, 3}}, fine[] = {{0, 3}};
    EXPECT_THROW(RecordsView(records_payload(negative, 3)), ProtocolError);
    EXPECT_THROW(RecordsView(records_payload(behind, 3)), ProtocolError);
    EXPECT_THROW(RecordsView(records_payload(fine, 4)), ProtocolError);
    Payload many = records_payload(fine, 3);
    many[7] = std::byte{0xff};  // four thousand million records
    EXPECT_THROW(RecordsView{many}, ProtocolError);
}

TEST(Data, ThereAndBack) {
    Payload payload = encode_data_head(sample_status());
    payload.resize(payload.size() + 1, std::byte{5});
    const DataView view = decode_data(payload);
    EXPECT_EQ(view.status.errno_name, "ENOSPC");
    ASSERT_EQ(view.bytes.size(), 1u);
    EXPECT_EQ(view.bytes[0], std::byte{5});
}

TEST(Statuses, OfErrnos) {
    const Status status = Status::of_errno(ENOSPC, "cannot write 'x'");
    EXPECT_EQ(status.code, Code::no_space);
    EXPECT_EQ(status.errno_name, "ENOSPC");
    EXPECT_NE(status.text.find("cannot write 'x': No space"), std::string::npos);
    EXPECT_EQ(Status::of_errno(EIO, "").code, Code::io_error);
    EXPECT_EQ(decode<Status>(encode(Status{static_cast<Code>(99), "", ""})).code, Code::io_error);  // of a later version
}

}  // namespace
}  // namespace kumihimo::iod
