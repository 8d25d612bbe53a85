/* gmove in and out, and the directives of the local view. Programs that have one link this file, and their nodes then reach
 * each other's parts of global arrays. */
#include "kumihimo/localview.h"
#include "records.h"

__attribute__((constructor)) static void use_local_view(void) {
    XMP_local_view = 1;
}

void XMP_Fortran_gmove_in(const XMP_Site* site, Side* left, Side* right, const int* async) {
    XMP_Gmove_in(site, XMP_Fortran_side(left), XMP_Fortran_side(right), async);
}

void XMP_Fortran_gmove_out(const XMP_Site* site, Side* left, Side* right, const int* async) {
    XMP_Gmove_out(site, XMP_Fortran_side(left), XMP_Fortran_side(right), async);
}

void XMP_Fortran_post(const XMP_Site* site, const Reference* node, int tag) {
    XMP_On on;
    XMP_Post(site, XMP_Fortran_on(node, &on), tag);
}

void XMP_Fortran_wait(const XMP_Site* site, const Reference* node, const int* tag) {
    XMP_On on;
    XMP_Wait(site, XMP_Fortran_on(node, &on), tag);
}

void XMP_Fortran_sync_memory(void) {
    xmp_sync_memory(NULL);
}
