#include "mpiio/engine/pattern.hpp"

#include <cstddef>

namespace kumihimo::mpiio {

namespace {

constexpr std::size_t characters = 256;

std::size_t code(char character) {
    return static_cast<unsigned char>(character);
}

std::vector<bool> just(char character) {
    std::vector<bool> set(characters);
    set[code(character)] = true;
    return set;
}

std::vector<bool> all_but_slash() {
    std::vector<bool> set(characters, true);
    set[code('/')] = false;
    return set;
}

// Where the ] is that closes the set which begins at `begin`; a ] that comes first is a member.
std::size_t end_of_set(std::string_view text, std::size_t begin) {
    std::size_t first = begin + 1;
    if (first < text.size() && (text[first] == '!' || text[first] == '^')) ++first;
    return text.find(']', first + 1);
}

}  // namespace

std::vector<bool> Pattern::set_of(std::string_view members) {
    const bool negated = members.front() == '!' || members.front() == '^';
    if (negated) members.remove_prefix(1);
    std::vector<bool> set(characters);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const bool range = i + 2 < members.size() && members[i + 1] == '-';
        const std::size_t last = code(members[range ? i + 2 : i]);
        for (std::size_t member = code(members[i]); member <= last; ++member) set[member] = true;
        if (range) i += 2;
    }
    if (negated) set.flip();
    set[code('/')] = false;
    return set;
}

std::optional<Pattern> Pattern::parse(std::string_view text) {
    Pattern pattern;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 2) == "**") {
            const bool whole = i == 0 || text[i - 1] == '/';  // a directory's whole name
            const bool directories = whole && text.substr(i, 3) == "**/";
            pattern.tokens_.push_back({directories ? Kind::directories : Kind::any_below, {}});
            i += directories ? 2 : 1;
        } else if (text[i] == '*') {
            pattern.tokens_.push_back({Kind::any_here, {}});
        } else if (text[i] == '?') {
            pattern.tokens_.push_back({Kind::one_of, all_but_slash()});
        } else if (text[i] == '[') {
            const std::size_t end = end_of_set(text, i);
            if (end == std::string_view::npos) return std::nullopt;
            pattern.tokens_.push_back({Kind::one_of, set_of(text.substr(i + 1, end - i - 1))});
            i = end;
        } else {
            pattern.tokens_.push_back({Kind::one_of, just(text[i])});
        }
    }
    return pattern;
}

// reached[j]: the tokens so far match the first j characters. Each token makes the next such row from it.
bool Pattern::matches(std::string_view name) const {
    std::vector<bool> reached(name.size() + 1);
    reached[0] = true;
    for (const Token& token : tokens_) {
        std::vector<bool> next(name.size() + 1);
        bool before = false;  // a shorter beginning is matched
        for (std::size_t j = 0; j <= name.size(); ++j) {
            const char last = j > 0 ? name[j - 1] : '\0';
            before = before || reached[j];
            if (token.kind == Kind::one_of) next[j] = j > 0 && reached[j - 1] && token.characters[code(last)];
            if (token.kind == Kind::any_here) next[j] = reached[j] || (j > 0 && next[j - 1] && last != '/');
            if (token.kind == Kind::any_below) next[j] = before;
            if (token.kind == Kind::directories) next[j] = reached[j] || (before && last == '/');
        }
        reached = std::move(next);
    }
    return reached.back();
}

}  // namespace kumihimo::mpiio
