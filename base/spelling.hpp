// What somebody may have meant.
#pragma once

#include <span>
#include <string>

namespace kumihimo::base {

// The candidate that differs least from a word, if that is little enough for a slip; else empty.
std::string nearest(const std::string& word, std::span<const std::string> candidates);

}  // namespace kumihimo::base
