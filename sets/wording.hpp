// What the errors of this room are made of: dimensions count from 1, as users count them.
#pragma once

#include <stdexcept>
#include <string>

#include "sets/range.hpp"

namespace kumihimo::sets {

inline void require(bool condition, const std::string& sentence) {
    if (!condition) throw std::invalid_argument(sentence);
}

inline std::string text(Index number) {
    return std::to_string(number);
}

inline std::string bounds_text(Index lower, Index upper) {
    return text(lower) + ":" + text(upper);
}

inline std::string dimension_text(int d) {
    return "dimension " + text(d + 1);
}

}  // namespace kumihimo::sets
