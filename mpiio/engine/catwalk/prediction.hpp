// What bandwidth the pipeline's slowest stage allows, beside the one that was reached. Pure.
#pragma once

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::catwalk {

// totals: of all nodes, numbers of the same name added, seconds the slowest node's. The stages work at the same time, so the
// file takes as long as the one that is busy longest: an I/O process (it empties rings and sorts), a link, or a disk. Adds
// "predicted bytes per s", and "measured bytes per s" from the opening to the last sync or close.
void predict(Details& totals);

}  // namespace kumihimo::mpiio::catwalk
