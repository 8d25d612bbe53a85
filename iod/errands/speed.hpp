// How fast a machine takes a file and gives it back.
#pragma once

#include "iod/errands/place.hpp"

namespace kumihimo::iod::errands {

struct Speed {
    double round_trip = 0, write = 0, read = 0;  // seconds
};
// A file of so many bytes is made in the directory, read back, compared and removed. Throws Failure.
Speed measure(Service& service, const std::string& directory, std::int64_t bytes);

}  // namespace kumihimo::iod::errands
