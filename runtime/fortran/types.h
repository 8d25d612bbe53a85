/* The types of generated.h that Fortran's are. */
#ifndef KUMIHIMO_FORTRAN_TYPES_H
#define KUMIHIMO_FORTRAN_TYPES_H

#include <ISO_Fortran_binding.h>
#include <stddef.h>

#include "kumihimo/generated.h"

static inline int XMP_Fortran_integer_type(size_t bytes) {
    switch (bytes) {
        case 1:
            return XMP_TYPE_SCHAR;
        case 2:
            return XMP_TYPE_SHORT;
        case 4:
            return XMP_TYPE_INT;
        case 8:
            return XMP_TYPE_LONG;
        default:
            return XMP_TYPE_OTHER;
    }
}

static inline int XMP_Fortran_type(const CFI_cdesc_t* value) {
    switch (value->type) {
        case CFI_type_float:
            return XMP_TYPE_FLOAT;
        case CFI_type_double:
            return XMP_TYPE_DOUBLE;
        case CFI_type_float_Complex:
            return XMP_TYPE_FLOAT_COMPLEX;
        case CFI_type_double_Complex:
            return XMP_TYPE_DOUBLE_COMPLEX;
        default:
            break;
    }
    switch (value->type & CFI_type_mask) {
        case CFI_type_Integer:
            return XMP_Fortran_integer_type(value->elem_len);
        case CFI_type_Logical:
            return value->elem_len == 4 ? XMP_TYPE_LOGICAL : XMP_TYPE_OTHER;
        default:
            return XMP_TYPE_OTHER;
    }
}

#endif
