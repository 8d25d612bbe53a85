// Memory that images allocate together to be a coarray.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/localview/coarrays.hpp"

namespace kumihimo::localview {

// A block of zeros on each of the images, which all call it (the name is for messages); `release` synchronises them first, but
// for those that failed, and ends its life. Throw base::Error on every image.
Coarray& allocate(const std::string& name, std::size_t bytes, execution::NodeSetPointer images);
void release(const Coarray& coarray);

}  // namespace kumihimo::localview
