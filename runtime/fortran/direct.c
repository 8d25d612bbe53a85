/* Where elements of another image lie: what xmpf90 puts before an assignment with `a(i)[k]`, so that this becomes loads and
 * stores. A window is what one place of the program knows of the coarray that it names. */
#include <string.h>

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

/* The same of an array. NULL also for this image itself. */
void* XMP_Fortran_direct_array(Window* window, const void* mine, int image) {
    void* const found = XMP_Fortran_direct(window, mine, image);
    return found == mine ? NULL : found;
}

/* Longer copies are the library's: it knows what is best on which processor (copying/run.hpp). */
static void* run(Window* window, const void* mine, int image, size_t bytes) {
    enum { most = 1024 };
    char* const found = bytes <= most ? XMP_Fortran_direct(window, mine, image) : NULL;
    return found != NULL && bytes <= window->bytes - (size_t)((const char*)mine - window->base) ? found : NULL;
}

/* A run of bytes between an image and this one; 0: it was not copied. */
_Bool XMP_Fortran_copied_from(Window* window, const void* mine, int image, void* to, size_t bytes) {
    const void* const from = run(window, mine, image, bytes);
    if (from != NULL) memmove(to, from, bytes);
    return from != NULL;
}

_Bool XMP_Fortran_copied_to(Window* window, const void* mine, int image, const void* from, size_t bytes) {
    void* const to = run(window, mine, image, bytes);
    if (to != NULL) memmove(to, from, bytes);
    return to != NULL;
}

/* value to the element: gfortran 12 passes the address of a copy where a scalar coarray is complex. */
void XMP_Fortran_store(void* mine, int image, const void* value, size_t bytes) {
    static const XMP_Site site = {NULL, 0, "an assignment to a coarray of another image"};
    XMP_Put_run(&site, XMP_Coarray_of(&site, mine), (long long)image - 1, mine, value, bytes);
}
