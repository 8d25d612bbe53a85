// toml++, for files that anybody may have written. The library takes for granted that the head of a table begins with a key
// (parser.inl, parse_key): with "[+x]" it would abort, or go on with undefined behaviour where NDEBUG is defined. So its
// assertions stay on here, and one that fails is an error of the file like any other.
#pragma once

#include <cctype>
#include <sstream>
#include <string>

namespace kumihimo::base {

struct UnforeseenToml {};

[[noreturn]] inline void unforeseen_toml() {
    throw UnforeseenToml();
}

}  // namespace kumihimo::base

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(expression) ((expression) ? void() : ::kumihimo::base::unforeseen_toml())
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace kumihimo::base {

// Where a table's head does not begin with a key; the file's beginning if none does so.
inline toml::source_position head_without_key(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    for (toml::source_index number = 1; std::getline(lines, line); ++number) {
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string::npos || line[first] != '[') continue;
        const std::size_t heads = line[first + 1] == '[' ? 2 : 1;
        const auto key = line.find_first_not_of(" \t", first + heads);
        if (key == std::string::npos) continue;
        const bool begins =
            std::isalnum(static_cast<unsigned char>(line[key])) || std::string("_-\"']").find(line[key]) != std::string::npos;
        if (!begins) return {number, static_cast<toml::source_index>(key + 1)};
    }
    return {1, 1};
}

// Throws toml::parse_error.
inline toml::table parse_toml(const std::string& text, const std::string& path) {
    try {
        return toml::parse(text, path);
    } catch (const UnforeseenToml&) {
        throw toml::parse_error("the head of a table must begin with a key", head_without_key(text));
    }
}

}  // namespace kumihimo::base
