// What all image control statements say of images that do not come.
#pragma once

#include "runtime/caf/token.hpp"
#include "runtime/localview/image_control.hpp"

namespace kumihimo::caf {

void report(const Outcome& outcome, localview::Absence absence);

}  // namespace kumihimo::caf
