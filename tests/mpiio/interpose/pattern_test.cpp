// Patterns against their definition, tried in every way: all patterns of up to 4 parts
// (KUMIHIMO_TEST_LONG=1: 5) on all names of up to 5 characters.
#include "mpiio/engine/pattern.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/long_form.hpp"

namespace kumihimo::mpiio {
namespace {

bool slow(const std::vector<std::string>& parts, std::size_t part, const std::string& name, std::size_t at);

// Whether the rest matches after `name[at, end)` for some end up to the first character that `stop` forbids.
template <typename Stop>
bool slow_after_any(const std::vector<std::string>& parts, std::size_t part, const std::string& name, std::size_t at,
                    Stop stop) {
    for (std::size_t end = at; end <= name.size(); ++end) {
        if (slow(parts, part + 1, name, end)) return true;
        if (end < name.size() && stop(name[end])) return false;
    }
    return false;
}

bool slow_after_directories(const std::vector<std::string>& parts, std::size_t part, const std::string& name, std::size_t at) {
    if (slow(parts, part + 1, name, at)) return true;
    for (std::size_t end = at + 1; end <= name.size(); ++end)
        if (name[end - 1] == '/' && slow(parts, part + 1, name, end)) return true;
    return false;
}

// The definition, part by part.
bool slow(const std::vector<std::string>& parts, std::size_t part, const std::string& name, std::size_t at) {
    if (part == parts.size()) return at == name.size();
    const std::string& pattern = parts[part];
    if (pattern == "*") return slow_after_any(parts, part, name, at, [](char c) { return c == '/'; });
    if (pattern == "**") return slow_after_any(parts, part, name, at, [](char) { return false; });
    if (pattern == "**/") return slow_after_directories(parts, part, name, at);
    if (at == name.size()) return false;
    const char c = name[at];
    const bool fits = pattern == "?"      ? c != '/'
                      : pattern == "[ab]" ? c == 'a' || c == 'b'
                      : pattern == "[!a]" ? c != 'a' && c != '/'
                                          : c == pattern[0];
    return fits && slow(parts, part + 1, name, at + 1);
}

// All sequences of up to `longest` elements.
template <typename Element>
std::vector<std::vector<Element>> sequences(const std::vector<Element>& elements, std::size_t longest) {
    std::vector<std::vector<Element>> all = {{}};
    for (std::size_t first = 0, length = 0; length < longest; ++length) {
        const std::size_t last = all.size();
        for (; first < last; ++first)
            for (const Element& element : elements) {
                all.push_back(all[first]);
                all.back().push_back(element);
            }
    }
    return all;
}

// Text whose parts would be read differently ("*" "*" is "**") is another pattern.
bool ambiguous(const std::vector<std::string>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool star = parts[i].front() == '*', next_star = i + 1 < parts.size() && parts[i + 1].front() == '*';
        const bool whole = i == 0 || parts[i - 1].back() == '/';
        if (star && next_star && parts[i] != "**/") return true;
        if (parts[i] == "**/" && !whole) return true;
        if (parts[i] == "**" && whole && i + 1 < parts.size() && parts[i + 1] == "/") return true;
    }
    return false;
}

TEST(Pattern, matches_as_defined_in_every_small_case) {
    const auto patterns =
        sequences<std::string>({"a", "/", "*", "**", "**/", "?", "[ab]", "[!a]"}, kumihimo::support::long_form() ? 5 : 4);
    const auto names = sequences<char>({'a', 'b', '/'}, 5);
    std::size_t compared = 0;
    for (const auto& parts : patterns) {
        if (ambiguous(parts)) continue;
        std::string text;
        for (const std::string& part : parts) text += part;
        const auto pattern = Pattern::parse(text);
        ASSERT_TRUE(pattern) << text;
        for (const auto& characters : names) {
            const std::string name(characters.begin(), characters.end());
            ASSERT_EQ(pattern->matches(name), slow(parts, 0, name, 0)) << text << " on " << name;
            ++compared;
        }
    }
    EXPECT_GT(compared, 500'000u);
}

bool matches(const std::string& pattern, const std::string& name) {
    return Pattern::parse(pattern).value().matches(name);
}

TEST(Pattern, sets) {
    EXPECT_TRUE(matches("[a-c]x", "bx"));
    EXPECT_FALSE(matches("[a-c]x", "dx"));
    EXPECT_TRUE(matches("[!a-c]x", "dx"));
    EXPECT_TRUE(matches("[^a-c]x", "dx"));
    EXPECT_FALSE(matches("[!a]", "/"));
    EXPECT_TRUE(matches("[]a]", "]"));
    EXPECT_TRUE(matches("[!]a]", "b"));
    EXPECT_FALSE(matches("[!]a]", "]"));
    EXPECT_TRUE(matches("[a-]", "-"));
    EXPECT_TRUE(matches("[*]", "*"));
    EXPECT_FALSE(matches("[*]", "a"));
    EXPECT_TRUE(matches("[\xc3]", "\xc3"));
}

TEST(Pattern, an_open_set_is_refused) {
    for (const char* text : {"[", "[]", "[!", "[!]", "a[b", "a]b["}) EXPECT_FALSE(Pattern::parse(text)) << text;
}

TEST(Pattern, many_stars_take_no_long_time) {
    std::string pattern, name(4000, 'a');
    for (int i = 0; i < 200; ++i) pattern += "*a";
    EXPECT_FALSE(matches(pattern + "b", name));
}

}  // namespace
}  // namespace kumihimo::mpiio
