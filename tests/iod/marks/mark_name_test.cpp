#include "iod/marks/mark_name.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kumihimo::iod::marks {
namespace {

const std::string some_opening = "00112233445566778899aabbccddeeff";

TEST(MarkNames, OfAllFileNamesFitAndDiffer) {
    std::set<std::string> seen;
    for (std::size_t length = 1; length <= 255; ++length)
        for (const char last : {'a', 'b', '.', '~', '-'}) {
            const std::string file = std::string(length - 1, 'x') + last;
            const MarkName name{stem_of(file), 4294967295u, ~std::uint64_t{0}, some_opening};
            EXPECT_LE(name.text().size(), 255u) << length;
            EXPECT_TRUE(seen.insert(name.text()).second) << file;
            ASSERT_TRUE(mark_name(name.text())) << name.text();
            EXPECT_EQ(*mark_name(name.text()), name);
        }
}

TEST(MarkNames, AreNotCutWithinACharacter) {
    for (std::size_t before = 0; before < 3; ++before) {
        std::string file(before, 'x');
        while (file.size() + 3 <= 255) file += "\u7d44";
        const std::string stem = stem_of(file);
        EXPECT_EQ((stem.find('~') - before) % 3, 0u) << stem;
    }
}

TEST(MarkNames, OfOtherFilesAreNone) {
    const MarkName good{"a", 3, 255, some_opening, false};
    EXPECT_EQ(good.text(), ".a.kumihimo-beginning-3-ff-" + some_opening);
    EXPECT_EQ(mark_name(good.text()), good);
    for (const char* text : {"", ".", "a", ".a.kumihimo-incomplete-", ".a.kumihimo-incomplete-0", ".a.kumihimo-incomplete-0-1-",
                             ".a.kumihimo-incomplete-0-1-00112233", "..kumihimo-incomplete-0-1-00112233445566778899aabbccddeef",
                             ".kumihimo-incomplete-0-1-00112233445566778899aabbccddeeff",
                             ".a.kumihimo-incomplete--1-1-00112233445566778899aabbccddeeff",
                             ".a.kumihimo-incomplete-0-g-00112233445566778899aabbccddeeff",
                             ".a.kumihimo-incomplete-0-1-00112233445566778899aabbccddeefff",
                             ".a.kumihimo-incomplete-99999999999-1-00112233445566778899aabbccddeeff"})
        EXPECT_FALSE(mark_name(text)) << text;
}

}  // namespace
}  // namespace kumihimo::iod::marks
