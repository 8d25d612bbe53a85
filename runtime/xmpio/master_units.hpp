// Where the units of master I/O are connected: on the node that was the master when they were opened or first used. The same
// unit with another master is another file, so that records would be lost without a word.
#pragma once

#include "kumihimo/generated.h"

namespace kumihimo::xmpio {

// Before the statement; throws where the unit is connected on another node than `master` (a rank of all nodes).
void check_unit(int unit, int master, int connection);
// Behind a statement without failure.
void note_unit(const XMP_Site* site, int unit, int master, int connection);

}  // namespace kumihimo::xmpio
