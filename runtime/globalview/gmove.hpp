// Assignments between global arrays and memory for other parts of the runtime: what the gmove directive does (specification
// 4.5.2).
#pragma once

#include <vector>

#include "runtime/execution/objects.hpp"

namespace kumihimo::globalview {

// Collective over the executing set; throws base::Error. async: null, or the async-id.
void gmove(const XMP_Side& left, const XMP_Side& right, const int* async);

// For each executing node its number in the array's grid, and the other way round; -1: it is not there. Nothing for null.
void place_nodes(const execution::Array* array, const execution::NodeSet& executing, std::vector<int>& in_grid,
                 std::vector<int>& member);

}  // namespace kumihimo::globalview
