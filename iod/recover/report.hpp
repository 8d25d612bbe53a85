// What survived, in words.
#pragma once

#include <string>

#include "iod/recover/survivors.hpp"

namespace kumihimo::iod::recover {

std::string report(const Survivors& survivors);

}  // namespace kumihimo::iod::recover
