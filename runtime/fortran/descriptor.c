/* Variables as views of global arrays, by gfortran's own descriptor. The standard's C descriptors (interface.c) are only for types that C knows, and gfortran compiles calls with them slowly. */
#include "descriptor.h"

#include "records.h"

/* xmp_show: the subroutine of the interface blocks that the compiler writes, each for one type. NULL: unallocated again. lower:
 * the lower bounds of a local alias, else NULL. The compiler has set the type of the elements. */
void xmp_show_(Descriptor* array, const XMP_Array* descriptor, const XMP_Index* lower) {
    array->base = NULL;
    if (descriptor == NULL) return;
    array->base = XMP_Fortran_block(descriptor);
    array->span = (ptrdiff_t)array->type.element_bytes;
    array->offset = 0;
    ptrdiff_t stride = 1;
    for (int d = 0; d < array->type.rank; d++) {
        const XMP_Dimension* const from = &descriptor->dimension[d];
        const XMP_Index first = lower != NULL ? lower[d] : from->origin;
        array->dimension[d] = (DescriptorDimension){stride, first, first + from->length - 1};
        array->offset -= first * stride;
        stride *= from->length;
    }
}

/* The procedures of XMP_Attach (views.F90). */
#define VIEW(TYPE) \
    void xmp_attach_##TYPE##_(Descriptor*, const XMP_Array*, const XMP_Index*) __attribute__((alias("xmp_show_")));
VIEW(integer_1)
VIEW(integer_2) VIEW(integer_4) VIEW(integer_8) VIEW(integer_16) VIEW(logical_1) VIEW(logical_2) VIEW(logical_4) VIEW(logical_8)
    VIEW(logical_16) VIEW(real_4) VIEW(real_8) VIEW(real_10) VIEW(real_16) VIEW(complex_4) VIEW(complex_8) VIEW(complex_10)
        VIEW(complex_16)
