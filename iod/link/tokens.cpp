#include "iod/link/tokens.hpp"

#include <algorithm>

#include "iod/link/random_bytes.hpp"

namespace kumihimo::iod::process {

namespace {

// Looks at every byte whatever it finds, so that the time it takes tells nothing.
bool equal(const Token& a, const Token& b) {
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
    return difference == 0;
}

}  // namespace

Token Tokens::make(const Role& role, Clock::time_point now) {
    const Token token = random_token();
    entries_.push_back({token, role, now + lifetime});
    return token;
}

std::optional<Role> Tokens::take(const Token& token, Clock::time_point now) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.end < now; });
    std::optional<Role> role;
    std::size_t found = entries_.size();
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (equal(entries_[i].token, token)) found = i;
    if (found == entries_.size()) return role;
    role = entries_[found].role;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(found));
    return role;
}

void Tokens::forget(std::uint32_t session) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.role.session == session; });
}

}  // namespace kumihimo::iod::process
