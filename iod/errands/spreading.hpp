// A file put together from those that a metafile names, and taken apart into them. All get their names when their digests
// agree, as copies do (copying.hpp); here nothing goes on where it stopped.
#pragma once

#include "iod/errands/copying.hpp"

namespace kumihimo::iod::errands {

Copied gather(const std::string& metafile, const Place& to, const Progress& progress);     // throws Failure
Copied scatter(const Place& from, const std::string& metafile, const Progress& progress);  // throws Failure

}  // namespace kumihimo::iod::errands
