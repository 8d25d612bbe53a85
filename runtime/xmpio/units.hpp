// The files of Fortran's global I/O (specification, appendix D.4) by their unit numbers. The calls are those of generated.h.
#pragma once

namespace kumihimo::xmpio {

// Collective, at the end of the program: closes what is open still, with a warning (decision IO-25).
void close_all_units();

}  // namespace kumihimo::xmpio
