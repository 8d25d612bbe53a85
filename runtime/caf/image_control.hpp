// What all image control statements say of images that do not come.
#pragma once

#include "runtime/caf/token.hpp"
#include "runtime/localview/image_control.hpp"

namespace kumihimo::caf {

void report(const Outcome& outcome, localview::Absence absence);

// gfortran lets SYNC ALL without a status follow each allocation, also one whose status has told of a missing image.
void skip_next_sync_all();

}  // namespace kumihimo::caf
