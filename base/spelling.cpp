#include "base/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace kumihimo::base {

namespace {

// Letters that are left out, added or replaced; large and small ones are the same.
std::size_t distance(const std::string& a, const std::string& b) {
    const auto same = [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); };
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced =
                diagonal + (same(static_cast<unsigned char>(a[i]), static_cast<unsigned char>(b[j])) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(const std::string& word, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 100;
    std::size_t least = std::min<std::size_t>(3, std::max<std::size_t>(1, word.size() / 3)) + 1;
    std::string found;
    if (word.size() > longest) return found;
    for (const std::string& candidate : candidates)
        if (const std::size_t d = distance(word, candidate); d < least) {
            least = d;
            found = candidate;
        }
    return found;
}

}  // namespace kumihimo::base
