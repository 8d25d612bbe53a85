/* The runtime moves contiguous memory: a section with gaps goes through a copy. */
#ifndef KUMIHIMO_FORTRAN_PACKED_H
#define KUMIHIMO_FORTRAN_PACKED_H

#include <ISO_Fortran_binding.h>
#include <stddef.h>

typedef struct Packed {
    void* address;
    size_t bytes;
    CFI_cdesc_t* original; /* NULL where it is contiguous itself */
} Packed;

Packed XMP_Fortran_packed(CFI_cdesc_t* value);
void XMP_Fortran_release(Packed* packed); /* what the copy holds now goes back */

#endif
