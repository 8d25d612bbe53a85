// Layouts that no transfer can have are refused before anything is made of them; those that can are all within the file.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/format.hpp"
#include "iod/protocol/bulk.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod {
namespace {

constexpr Offset furthest = std::numeric_limits<Offset>::max();

bool accepted(const Layout& layout) {
    try {
        (void)decode_layout(encode_layout_head(layout));
        return true;
    } catch (const ProtocolError&) {
        return false;
    }
}

TEST(Layouts, ThatMakeSenseComeBackAsTheyWere) {
    const Layout layout{{{100, 8, {{10, 1000}, {3, 8}}}, {50, 1, {}}}};
    const Payload payload = encode_layout_head(layout);
    const LayoutView view = decode_layout(payload);
    ASSERT_EQ(view.layout.nests.size(), 2u);
    EXPECT_EQ(bytes_of(view.layout), 8 * 30 + 1);
    EXPECT_TRUE(accepted({}));
    EXPECT_TRUE(accepted({{{furthest - 1, 1, {}}}}));
}

TEST(Layouts, ThatNoFileCanHaveAreRefused) {
    const Layout wrong[] = {
        {{{-1, 1, {}}}},
        {{{0, 0, {}}}},
        {{{0, -1, {}}}},
        {{{0, furthest, {}}}},
        {{{furthest, 1, {}}}},
        {{{furthest - 10, 20, {}}}},
        {{{0, 1, {{0, 1}}}}},
        {{{0, 1, {{-5, 1}}}}},
        {{{0, 1, {{furthest, 1}}}}},
        {{{0, 1, {{2, furthest}}}}},
        {{{0, 1, {{2, -8}}}}},
        {{{0, 8, {{2, 4}}}}},                      // overlaps
        {{{0, 1, {{1 << 12, 8}, {1 << 12, 1}}}}},  // overlaps
        {{{0, 1, {{1 << 11, std::int64_t{1} << 53}, {1 << 11, 1}}}}},
        {{{0, 1 << 20, {{5, 1 << 20}}}}},  // more than a transfer
        {{{0, 4 << 20, {}}, {4 << 20, 1, {}}}},
        {{{0, 1, std::vector<LayoutLevel>(9, {1, 1})}}},
    };
    for (const Layout& layout : wrong) EXPECT_FALSE(accepted(layout)) << (&layout - wrong);
}

// What is accepted is small and where a file can be, whatever the numbers: computed with more digits.
TEST(Layouts, DrawnAtRandomAreWithinTheFileIfTheyAreAccepted) {
    std::mt19937_64 random(7);
    const auto number = [&] {
        const auto bits = static_cast<std::int64_t>(random() >> (random() % 64));
        return random() % 8 == 0 ? -bits : bits;
    };
    int good = 0;
    for (int i = 0; i < 20000; ++i) {
        LayoutNest nest{number(), number(), {}};
        for (std::uint64_t level = random() % 4; level > 0; --level) nest.levels.push_back({number(), number()});
        if (!accepted({{nest}})) continue;
        ++good;
        __int128 last = nest.offset, bytes = nest.length;
        for (const LayoutLevel& level : nest.levels) {
            last += static_cast<__int128>(level.count - 1) * level.stride;
            bytes *= level.count;
        }
        EXPECT_GE(nest.offset, 0);
        EXPECT_LE(last + nest.length, furthest);
        EXPECT_LE(bytes, static_cast<__int128>(limit::transfer_bytes));
    }
    EXPECT_GT(good, 10);
}

TEST(Versions, ThatHaveNothingInCommonSaySo) {
    Hello hello;
    hello.lowest_version = newest_version + 1, hello.highest_version = newest_version + 3;
    try {
        (void)common_version(hello);
        FAIL();
    } catch (const ProtocolError& error) {
        EXPECT_NE(std::string(error.what()).find(fmt::format("versions {} to {}", newest_version + 1, newest_version + 3)),
                  std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("Install the same version"), std::string::npos);
    }
    hello.lowest_version = oldest_version;
    EXPECT_EQ(common_version(hello), newest_version);
    hello.highest_version = oldest_version;
    EXPECT_EQ(common_version(hello), oldest_version);
}

}  // namespace
}  // namespace kumihimo::iod
