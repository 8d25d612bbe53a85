// File views (xmp_file_set_view_all): what a node owns of a section as an MPI datatype over the file.
#pragma once

#include <mpi.h>

#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpio {

// The part's elements at their places in the section, tiling with the section's bytes. Committed; the caller frees it.
// Precondition: the part is not empty.
MPI_Datatype file_type(const Part& part, Index section_elements);

}  // namespace kumihimo::xmpio
