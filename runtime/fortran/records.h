/* Records that Fortran's module passes as they are, and the arguments of the C interface that they stand for. */
#ifndef KUMIHIMO_FORTRAN_RECORDS_H
#define KUMIHIMO_FORTRAN_RECORDS_H

#include "kumihimo/generated.h"

/* Of an on or from clause; the same record as type(XMP_Reference). A NULL pointer (an absent argument): the executing set. */
typedef struct Reference {
    const void* object;
    int rank;
    XMP_Range subscripts[XMP_MAX_RANK];
} Reference;

const XMP_On* XMP_Fortran_on(const Reference* reference, XMP_On* on);

/* The same record as type(XMP_Side) in kumihimo.f90. of a global array: `array` and subscripts as Fortran has them, XMP_OPEN
 * where a bound is left out; of memory: what its C descriptor says. */
typedef struct Side {
    const XMP_Array* array;
    void* address;
    int type;
    size_t element_bytes;
    int rank;
    XMP_Range subscripts[XMP_MAX_RANK]; /* kind 0: an index; 1: first to last */
    XMP_Index extents[XMP_MAX_RANK], strides[XMP_MAX_RANK];
    char text[64];
} Side;

/* One that generated.h takes, in memory of its own. */
typedef struct Resolved {
    XMP_Side side;
    XMP_Triplet subscripts[XMP_MAX_RANK];
} Resolved;

const XMP_Side* XMP_Fortran_side(const Side* side, Resolved* result);

void* XMP_Fortran_block(const XMP_Array* descriptor);

#endif
