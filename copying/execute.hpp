// Copies what corresponds (sets/correspondence.hpp), in the order that is fastest.
#pragma once

#include <cstddef>
#include <span>

#include "sets/correspondence.hpp"

namespace kumihimo::copying {

// The memories do not overlap. Where several bytes go to one place it has the value of any of them.
void execute(const sets::Correspondence& correspondence, std::byte* to, const std::byte* from);
inline void execute(std::span<const sets::Correspondence> correspondences, std::byte* to, const std::byte* from) {
    for (const sets::Correspondence& one : correspondences) execute(one, to, from);
}
// The same of runs and levels that nobody has made a correspondence of.
void execute(sets::Index run, sets::Correspondence::Levels levels, std::byte* to, const std::byte* from);

}  // namespace kumihimo::copying
