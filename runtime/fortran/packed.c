#include "packed.h"

#include <stdlib.h>
#include <string.h>

static size_t elements(const CFI_cdesc_t* value) {
    size_t count = 1;
    for (int d = 0; d < value->rank; d++) count *= (size_t)value->dim[d].extent;
    return count;
}

static void copy_packed(const Packed* packed, int back) {
    const CFI_cdesc_t* const value = packed->original;
    CFI_index_t index[CFI_MAX_RANK] = {0};
    char* to = packed->address;
    for (size_t left = elements(value); left > 0; left--, to += value->elem_len) {
        char* element = value->base_addr;
        for (int d = 0; d < value->rank; d++) element += index[d] * value->dim[d].sm;
        memcpy(back ? element : to, back ? to : element, value->elem_len);
        for (int d = 0; d < value->rank && ++index[d] == value->dim[d].extent; d++) index[d] = 0;
    }
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
