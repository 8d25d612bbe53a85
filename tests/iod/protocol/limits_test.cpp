// The table of docs/explanation/wire-protocol.md, "Limits": what is at a limit is taken, what is beyond is refused; and nothing
// that any field of any message can be makes a decoder do anything else than that.
#include "iod/protocol/limits.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "iod/protocol/bulk.hpp"
#include "tests/iod/protocol/samples.hpp"

namespace kumihimo::iod {
namespace {

constexpr Offset last_offset = std::numeric_limits<Offset>::max();

template <typename Message, typename Change>
void expect(bool taken, Message message, Change&& change, const char* what) {
    change(message);
    const Payload bytes = encode(message);
    if (taken)
        EXPECT_NO_THROW(decode<Message>(bytes)) << what;
    else
        EXPECT_THROW(decode<Message>(bytes), ProtocolError) << what;
}

#define EXPECT_LIMIT(sample, field, least, most)                                                                               \
    do {                                                                                                                       \
        expect(                                                                                                                \
            true, sample, [](auto& message) { message.field = static_cast<std::decay_t<decltype(message.field)>>(most); },     \
            #field);                                                                                                           \
        expect(                                                                                                                \
            false, sample,                                                                                                     \
            [](auto& message) { message.field = static_cast<std::decay_t<decltype(message.field)>>((most) + 1); }, #field);    \
        expect(                                                                                                                \
            true, sample, [](auto& message) { message.field = static_cast<std::decay_t<decltype(message.field)>>(least); },    \
            #field);                                                                                                           \
        if ((least) > 0)                                                                                                       \
            expect(                                                                                                            \
                false, sample,                                                                                                 \
                [](auto& message) { message.field = static_cast<std::decay_t<decltype(message.field)>>((least)-1); }, #field); \
    } while (false)

Open wide_open() {
    Open open = sample_open();
    open.servers = 2, open.host = 0;
    return open;
}

TEST(Limits, OfNumbers) {
    EXPECT_LIMIT(wide_open(), hosts, 1u, limit::hosts);
    EXPECT_LIMIT(wide_open(), host, 0u, sample_open().hosts - 1);
    EXPECT_LIMIT(wide_open(), servers, 2u, limit::servers);
    EXPECT_LIMIT(wide_open(), ranks_here, 1u, limit::ranks_of_host);
    EXPECT_LIMIT(wide_open(), children[0], 0u, limit::children);
    EXPECT_LIMIT(wide_open(), mode.permissions, 0u, 07777u);
    EXPECT_LIMIT(wide_open(), options.largest_record, 1u, limit::record_bytes);
    EXPECT_LIMIT(wide_open(), options.sort_buffer, 0u, limit::sort_buffer_bytes);
    EXPECT_LIMIT(wide_open(), options.stripe, 1u, limit::stripe_bytes);
    EXPECT_LIMIT((Join{3}), rank, 0u, limit::ranks);
    EXPECT_LIMIT((Read{1, 0, 4096, 77, true}), bytes, 0u, limit::read_bytes);
    EXPECT_LIMIT((Read{1, 0, 4096, 77, true}), offset, 0, last_offset - 4096);
    const auto smaller = [](auto& greeting) { greeting.largest_frame = limit::least_frame - 1; };
    expect(false, Hello{1, 1, 3, 8 << 20, {}, "x"}, smaller, "a frame");
    expect(false, Welcome{1, 3, 8 << 20, "x"}, smaller, "a frame");
}

TEST(Limits, NegativeNumbers) {
    for (const Function function : {Function::set_size, Function::preallocate, Function::shared_add, Function::shared_set}) {
        expect(
            true, Call{0, function, last_offset, 0}, [](Call&) {}, "a position");
        expect(
            false, Call{0, function, -1, 0}, [](Call&) {}, "a position");
    }
    expect(
        false, Read{0, -1, 1, 0, false}, [](Read&) {}, "an offset");
    expect(
        false, Drained{{}, -1}, [](Drained&) {}, "a size");
}

TEST(Limits, OfLengths) {
    const auto long_path = [](Open& open) { open.path.assign(limit::path_bytes + 1, 'x'); };
    expect(false, sample_open(), long_path, "a path");
    expect(
        false, sample_open(), [](Open& open) { open.children.assign(3, 0); }, "more children than servers");
    expect(
        false, sample_opened(), [](Opened& opened) { opened.local_address.assign(108, 'x'); }, "a socket's name");
    expect(
        false, sample_opened(), [](Opened& opened) { opened.addresses.assign(17, "h:1"); }, "addresses");
    expect(
        false, sample_opened(), [](Opened& opened) { opened.addresses = {std::string(65, 'x')}; }, "an address");
    expect(
        false, Attach{{Parent{}}}, [](Attach& attach) { attach.parents.resize(limit::servers + 1); }, "parents");
    expect(
        false, Hello{1, 1, 0, 8 << 20, {}, std::string(257, 'x')}, [](Hello&) {}, "a name");
    expect(
        false, Counters{},
        [](Counters& counters) {
            counters.assign(limit::list_elements + 1, {"x", 0});
        },
        "a list");
}

// What failed must arrive, however long the text of it is.
TEST(Limits, LongTextsAreCut) {
    const Status status{Code::io_error, std::string(1 << 20, 'x'), "EIO"};
    EXPECT_EQ(decode<Status>(encode(status)).text.size(), limit::text_bytes);
    EXPECT_EQ(decode<Result>(encode(Result{status, 3})).status.text.size(), limit::text_bytes);
}

// Every place of every message, taken for an integer of every width, at its extremes.
TEST(Limits, ExtremesOfEveryField) {
    std::size_t refused = 0, taken = 0;
    each_sample([&]<typename Message>(const Message& message) {
        const Payload sample = encode(message);
        for (const std::size_t width : {1u, 2u, 4u, 8u})
            for (std::size_t at = 0; at + width <= sample.size(); ++at)
                for (const std::uint64_t value : {0ull, 1ull, 0x7full, 0x80ull, 0x7fffull, 0x7fff'ffffull, 0x8000'0000ull,
                                                  0xffff'ffffull, 0x7fff'ffff'ffff'ffffull, 0x8000'0000'0000'0000ull, ~0ull}) {
                    Payload bytes = sample;
                    for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
                    try {
                        const Payload again = encode(decode<Message>(bytes));
                        EXPECT_LE(again.size(), bytes.size());
                        ++taken;
                    } catch (const ProtocolError&) {
                        ++refused;
                    }
                }
    });
    EXPECT_GT(refused, 5'000u);
    EXPECT_GT(taken, 10'000u);
}

}  // namespace
}  // namespace kumihimo::iod
