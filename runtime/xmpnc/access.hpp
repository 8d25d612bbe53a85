// The one function behind every xmpnc_{put,get}_{vara,varas,varx}_*: array, section and position in, PnetCDF calls out.
#pragma once

#include <mpi.h>

#include "kumihimo/generated.h"
#include "kumihimo/xmpnc.h"

namespace kumihimo::xmpnc {

enum class Direction { put, get };

struct Operation {
    const char* function;
    Direction direction;
    bool collective;
    int type;  // element type in the function's name; XMP_TYPE_OTHER: any
};

// rp NULL: the whole array. fstart NULL: the section's own indices; fstride NULL: 1.
int access(const Operation& operation, int ncid, int varid, xmp_array_t ap, const xmp_range_t* rp, const MPI_Offset* fstart,
           const MPI_Offset* fstride) noexcept;

}  // namespace kumihimo::xmpnc
