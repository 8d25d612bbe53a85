/* The variables of master I/O, by the standard's C descriptors. */
#include "kumihimo/generated.h"
#include "packed.h"

int XMP_Fortran_io_item(XMP_Io* io, CFI_cdesc_t* variable) {
    Packed packed = XMP_Fortran_packed(variable);
    XMP_Io_item(io, packed.address, packed.bytes);
    XMP_Fortran_release(&packed);
    return 0;
}

void XMP_Fortran_io_output(XMP_Io* io, CFI_cdesc_t* variable) {
    Packed packed = XMP_Fortran_packed(variable);
    XMP_Io_output(io, packed.address, packed.bytes);
    XMP_Fortran_release(&packed);
}
