// Image control (specification 5.7.3): which images it means, and what happens when one of them has ended.
#pragma once

#include <vector>

#include "runtime/execution/objects.hpp"

namespace kumihimo::localview {

// The set that the next image control counts in: of an image directive before it (used up by this), else the executing set.
execution::NodeSetPointer take_image_set();

// Both complete this image's puts first. False: an image has ended that would have been needed.
bool sync_all(const execution::NodeSet& set);
bool sync_images(const std::vector<int>& nodes);  // numbers in the entire set

bool has_ended(int node);

}  // namespace kumihimo::localview
