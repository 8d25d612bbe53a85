// The one path behind every access to a variable: descriptor, sections, place in the file and kind of access in, PnetCDF's
// calls out.
#pragma once

#include <mpi.h>

#include <span>

#include "kumihimo/generated.h"
#include "kumihimo/xmpnc.h"
#include "runtime/xmpnc/placement.hpp"

namespace kumihimo::xmpnc {

enum class Kind { put, get, iput, iget, bput };

struct Operation {
    const char* function;
    Kind kind;
    bool collective;
    int type;  // element type in the function's name; XMP_TYPE_OTHER: any
};

// Each target of a blocking operation is moved, in one collective call of PnetCDF if the operation is collective. request: of
// the other kinds, which have one target.
int access(const Operation& operation, int ncid, std::span<const Target> targets, int* request = nullptr) noexcept;

inline int access(const Operation& operation, int ncid, const Target& target, int* request = nullptr) noexcept {
    return access(operation, ncid, std::span(&target, 1), request);
}

// Several variables as users name them: a list for each member of Target; null lists have nulls.
struct Lists {
    const int* varids;
    const xmp_array_t* arrays;
    bool entire = false;
    const xmp_range_t* const* ranges = nullptr;
    const MPI_Offset* const* starts = nullptr;
    const MPI_Offset* const* strides = nullptr;
    const MPI_Offset* const* maps = nullptr;
};
int access(const Operation& operation, int ncid, int num, const Lists& lists) noexcept;

}  // namespace kumihimo::xmpnc
