/* Records that Fortran's module passes as they are, and the arguments of the C interface that they stand for. */
#ifndef KUMIHIMO_FORTRAN_RECORDS_H
#define KUMIHIMO_FORTRAN_RECORDS_H

#include "kumihimo/generated.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of an on or from clause; the same record as type(XMP_Reference). A NULL pointer (an absent argument): the executing set. */
typedef struct Reference {
    const void* object;
    int rank;
    XMP_Range subscripts[XMP_MAX_RANK];
} Reference;

const XMP_On* XMP_Fortran_on(const Reference* reference, XMP_On* on);

/* One that generated.h takes, with what it refers to; the same record as type(XMP_Side) in records.f90. The call that makes one
 * fills no more than the dimensions that there are. */
typedef struct Side {
    XMP_Side side; /* its pointers are those of the caller's copy only behind XMP_Fortran_side */
    XMP_Triplet subscripts[XMP_MAX_RANK];
    XMP_Index extents[XMP_MAX_RANK], strides[XMP_MAX_RANK];
} Side;

static inline const XMP_Side* XMP_Fortran_side(Side* side) {
    side->side.subscripts = side->subscripts;
    side->side.extents = side->extents;
    side->side.strides = side->strides;
    return &side->side;
}

void* XMP_Fortran_block(const XMP_Array* descriptor);

#ifdef __cplusplus
}
#endif

#endif
