#include "iod/marks/mark_name.hpp"

#include <charconv>
#include <span>

#include "base/format.hpp"
#include "base/hash.hpp"
#include "iod/protocol/digits.hpp"

namespace kumihimo::iod::marks {

namespace {

constexpr std::string_view incomplete = ".kumihimo-incomplete-", beginning = ".kumihimo-beginning-";
constexpr std::size_t longest_name = 255;  // of Linux' file systems
constexpr std::size_t opening_digits = 2 * std::tuple_size_v<Opening>, hash_digits = 16;
constexpr std::size_t longest_stem = longest_name - 1 - incomplete.size() - (10 + 1 + 16 + 1 + opening_digits);

bool continues_a_character(char byte) {  // of UTF-8: some file systems take nothing else
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Takes a number and what follows it.
template <typename Number>
bool take(std::string_view& text, Number& number, int base, char follows) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc{} || rest == text.data() + text.size() || *rest != follows) return false;
    text.remove_prefix(static_cast<std::size_t>(rest + 1 - text.data()));
    return true;
}

}  // namespace

std::string hex_of(const Opening& opening) {
    return digits_of(opening);
}

std::string stem_of(const std::string& file) {
    if (file.size() <= longest_stem) return file;
    std::size_t kept = longest_stem - 1 - hash_digits;
    while (kept > 0 && continues_a_character(file[kept])) --kept;
    return fmt::format("{}~{:016x}", file.substr(0, kept), base::hash_of(std::as_bytes(std::span(file))));
}

std::string MarkName::text() const {
    return fmt::format(".{}{}{}-{:x}-{}", stem, counts ? incomplete : beginning, server, inode, opening);
}

std::optional<MarkName> mark_name(std::string_view text) {
    MarkName name;
    std::size_t at = text.rfind(incomplete);
    name.counts = at != std::string_view::npos;
    if (!name.counts) at = text.rfind(beginning);
    if (at == std::string_view::npos || at < 2 || text.front() != '.') return std::nullopt;
    name.stem = text.substr(1, at - 1);
    text.remove_prefix(at + (name.counts ? incomplete : beginning).size());
    if (!take(text, name.server, 10, '-') || !take(text, name.inode, 16, '-')) return std::nullopt;
    name.opening = text;
    const bool digits = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return digits && text.size() == opening_digits ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace kumihimo::iod::marks
