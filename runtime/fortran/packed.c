#include "packed.h"

#include <stdlib.h>

#include "kumihimo/generated.h"

static size_t elements(const CFI_cdesc_t* value) {
    size_t count = 1;
    for (int d = 0; d < value->rank; d++) count *= (size_t)value->dim[d].extent;
    return count;
}

static void copy_packed(const Packed* packed, int back) {
    const CFI_cdesc_t* const value = packed->original;
    XMP_Index extents[CFI_MAX_RANK], strides[CFI_MAX_RANK], dense[CFI_MAX_RANK], next = (XMP_Index)value->elem_len;
    for (int d = 0; d < value->rank; d++) {
        extents[d] = value->dim[d].extent;
        strides[d] = value->dim[d].sm;
        dense[d] = next;
        next *= extents[d];
    }
    if (back)
        XMP_Copy_elements(value->rank, value->elem_len, extents, value->base_addr, strides, packed->address, dense);
    else
        XMP_Copy_elements(value->rank, value->elem_len, extents, packed->address, dense, value->base_addr, strides);
}

Packed XMP_Fortran_packed(CFI_cdesc_t* value) {
    const size_t bytes = elements(value) * value->elem_len;
    if (value->rank == 0 || CFI_is_contiguous(value)) return (Packed){value->base_addr, bytes, NULL};
    Packed packed = {malloc(bytes != 0 ? bytes : 1), bytes, value};
    if (packed.address == NULL) abort();
    copy_packed(&packed, 0);
    return packed;
}

void XMP_Fortran_release(Packed* packed) {
    if (packed->original == NULL) return;
    copy_packed(packed, 1);
    free(packed->address);
}
