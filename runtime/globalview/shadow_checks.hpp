// For programs compiled with --check: the account of each array's shadow, and what the directives enter there.
#pragma once

#include <vector>

#include "runtime/execution/objects.hpp"
#include "runtime/globalview/shadow_account.hpp"

namespace kumihimo::globalview {

// The array's account; null where nothing is checked, or there is no shadow.
ShadowAccount* shadow_account(const execution::Array& array);

// What directives do to an array; nothing where nothing is checked.
void note_reflect(const execution::Array& array, const std::vector<ReflectWidth>& widths, bool orthogonal);
void note_unknown(const execution::Array& array);
// Collective over the array's nodes: they tell each other what they alone know, before a directive moves it. The job ends if a
// read was older than a write.
void compare_logs(const execution::Array& array);
void note_assignment(const XMP_Site* site, const XMP_Side& left);

}  // namespace kumihimo::globalview
