// The payloads of all messages, the layouts of bytes and the heads of frames, as both sides decode them. The first byte says
// which message the others are.
#include <gtest/gtest.h>

#include "iod/files/blocks.hpp"
#include "iod/protocol/bulk.hpp"
#include "iod/protocol/frame.hpp"
#include "iod/protocol/limits.hpp"
#include "tests/iod/fuzz/target.hpp"
#include "tests/iod/protocol/samples.hpp"

namespace kumihimo::iod::test {
namespace {

template <typename Message>
void try_message(std::span<const std::byte> bytes) {
    const Payload once = encode(decode<Message>(bytes));
    EXPECT_LE(once.size(), bytes.size()) << "announced, but not sent";
    EXPECT_EQ(encode(decode<Message>(once)), once);
}

// Blocks come as they are promised: none is empty, all are where a file can be, and together they are what the sum says.
void try_layout(std::span<const std::byte> bytes) {
    const Layout layout = decode_layout(bytes).layout;
    const std::int64_t all = bytes_of(layout);
    ASSERT_GE(all, 0);
    ASSERT_LE(all, static_cast<std::int64_t>(limit::transfer_bytes));
    std::int64_t met = 0, blocks = 0;
    process::for_each_block(layout, [&](Offset offset, std::size_t length) {
        EXPECT_TRUE(length > 0 && possible(offset, length)) << offset << " " << length;
        met += static_cast<std::int64_t>(length);
        return ++blocks < 10'000;
    });
    if (blocks < 10'000)
        EXPECT_EQ(met, all);
    else
        EXPECT_LE(met, all);
}

void try_records(std::span<const std::byte> bytes) {
    const RecordsView records(bytes);
    std::size_t all = 0;
    for (std::size_t i = 0; i < records.count(); ++i) {
        EXPECT_TRUE(possible(records.place(i).offset, records.place(i).bytes));
        all += records.place(i).bytes;
    }
    EXPECT_EQ(all, records.bytes().size());
}

void try_frame(std::span<const std::byte> bytes) {
    if (bytes.size() < header_bytes) return;
    const auto header = bytes.first<header_bytes>();
    EXPECT_LE(decode_header(header, 4096, true).length, 4096u);
    check_payload(header, bytes.subspan(header_bytes));
}

using Try = void (*)(std::span<const std::byte>);

// One for each message, in the order of the samples; then those that are decoded in another way.
std::vector<Try> tries() {
    std::vector<Try> all;
    each_sample([&]<typename Message>(const Message&) { all.push_back(try_message<Message>); });
    all.insert(all.end(), {try_layout, try_records, [](auto bytes) { (void)decode_data(bytes); }, try_frame});
    return all;
}

void run_messages(std::span<const std::byte> input) {
    static const std::vector<Try> all = tries();
    if (input.empty()) return;
    const Payload payload(input.subspan(1));  // its own, for the sanitizer
    try {
        all[static_cast<std::size_t>(input[0]) % all.size()](payload);
    } catch (const ProtocolError&) {
    }
}

std::vector<Payload> valid_messages() {
    std::vector<Payload> all;
    const auto add = [&](const Payload& payload) {
        Payload input(1, static_cast<std::byte>(all.size()));
        input.append(payload);
        all.push_back(std::move(input));
    };
    each_sample([&](const auto& message) { add(encode(message)); });
    add(encode_layout_head({{{100, 8, {{10, 1000}, {3, 8}}}, {50, 1, {}}}}));
    const RecordPlace places[] = {{0, 3}, {1ll << 40, 2}};
    Payload records = encode_records_head(4, places);
    records.resize(records.size() + 5, std::byte{7});
    add(records);
    add(encode_data_head(sample_status()));
    const Payload payload = encode(sample_status());
    Payload frame(encode_header({Type::drain, flag_checksum, 1, 0, 7, 0}, payload));
    frame.append(payload);
    add(frame);
    return all;
}

}  // namespace

const Target messages_target{"messages", run_messages, valid_messages};

}  // namespace kumihimo::iod::test
