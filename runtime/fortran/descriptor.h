/* gfortran's array descriptor, as libgfortran's headers lay it out since gfortran 9. */
#ifndef KUMIHIMO_FORTRAN_DESCRIPTOR_H
#define KUMIHIMO_FORTRAN_DESCRIPTOR_H

#include <stddef.h>

typedef struct DescriptorDimension {
    ptrdiff_t stride, lower, upper; /* stride in elements */
} DescriptorDimension;

typedef struct DescriptorType {
    size_t element_bytes;
    int version;
    signed char rank, type; /* type: 1 integer, 2 logical, 3 real, 4 complex, 5 derived, 6 character */
    short attribute;
} DescriptorType;

typedef struct Descriptor {
    void* base;
    ptrdiff_t offset; /* of the element whose subscripts are all 0, in elements */
    DescriptorType type;
    ptrdiff_t span; /* bytes that a stride of 1 is */
    DescriptorDimension dimension[15]; /* only `rank` of them are there: a descriptor is never copied whole */
} Descriptor;

#endif
