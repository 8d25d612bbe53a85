// What all image control statements say of images that do not come.
#pragma once

#include "runtime/caf/token.hpp"
#include "runtime/localview/image_control.hpp"

namespace kumihimo::caf {

void report(const Outcome& outcome, localview::Absence absence);

// gfortran lets SYNC ALL without a status follow each allocation, also one with a status: a missing image is no error there.
void forgive_next_sync_all();

}  // namespace kumihimo::caf
