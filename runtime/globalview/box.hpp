// Elements of an array: those whose index is in the set of each dimension.
#pragma once

#include <vector>

#include "sets/index_set.hpp"

namespace kumihimo::globalview {

using sets::Index;
using Box = std::vector<sets::IndexSet>;

bool empty(const Box& box);
bool same(const Box& a, const Box& b);
bool contains(const Box& box, const std::vector<Index>& element);
// Makes `into` the union of both where they differ in one dimension only, in which they touch.
bool join(Box& into, const Box& other);

}  // namespace kumihimo::globalview
