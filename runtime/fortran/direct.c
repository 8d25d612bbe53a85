/* Where an element of another image lies: what xmpf90 puts before an assignment with `a(i)[k]`, so that this becomes a load or
 * a store. A window is what one place of the program knows of the coarray that it names. */
#include "kumihimo/localview.h"

/* The same record as type(XMP_Window). */
typedef struct Window {
    const char* base; /* of this image's block; NULL: nothing is known yet */
    size_t bytes;
    char* const* direct;
    long long released;
} Window;

static __attribute__((noinline)) int look(Window* window, const char* mine) {
    const XMP_Coarray* const coarray = XMP_Coarray_around(mine);
    window->base = NULL;
    if (coarray == NULL) return 0;
    *window = (Window){(const char*)coarray->base, coarray->bytes, coarray->direct, XMP_coarrays_released};
    return 1;
}

/* image: from 1; mine: the element of this image's block. NULL: only the library reaches it, or says what is wrong. */
void* XMP_Fortran_direct(Window* window, const void* mine, int image) {
    const char* const element = mine;
    const int known =
        window->base != NULL && window->released == XMP_coarrays_released && (size_t)(element - window->base) < window->bytes;
    if (!known && !look(window, element)) return NULL;
    const unsigned index = (unsigned)image - 1;
    if (index >= (unsigned)XMP_current_images.count) return NULL;
    char* const block = window->direct[XMP_current_images.node[index]];
    return block == NULL ? NULL : block + (element - window->base);
}

/* value to the element: gfortran 12 passes the address of a copy where a scalar coarray is complex. */
void XMP_Fortran_store(void* mine, int image, const void* value, size_t bytes) {
    static const XMP_Site site = {NULL, 0, "an assignment to a coarray of another image"};
    XMP_Put_run(&site, XMP_Coarray_of(&site, mine), (long long)image - 1, mine, value, bytes);
}
