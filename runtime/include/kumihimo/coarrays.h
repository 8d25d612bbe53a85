/* How references to coarrays are written in translated programs: one macro for each form of `a[i]:[k]`. xmpcc includes this
 * header in files of the local view; you may use the macros by hand. `element` is the same element of this image's block.
 * Every argument is evaluated once. An image whose memory is mapped here is reached by a load or a store in place, all others
 * through localview.h. `text` is what messages show. (Specification 5.7.2; gcc and clang.) */
#ifndef KUMIHIMO_COARRAYS_H
#define KUMIHIMO_COARRAYS_H

#ifdef __GNUC__
#pragma GCC system_header /* pedantic warnings are for the program's own text, in any dialect */
#endif

#include <stdlib.h>

#include "kumihimo/localview.h"

/* (local) Before the program starts: its global arrays may be used as coarrays. */
__attribute__((constructor)) static void xmp_use_local_view(void) {
    XMP_local_view = 1;
}

/* Where the image is mapped. Under xmpcc --check every reference goes through the library, which looks at the bounds. */
#ifdef KUMIHIMO_CHECK
#define XMP_REACH(coarray, image, mine) ((void)(coarray), (void)(image), (void)(mine), (void *)NULL)
#else
#define XMP_REACH(coarray, image, mine) XMP_Direct(coarray, image, mine)
#endif

/* The address of the element, and of its counterpart if that is mapped here. Volatile: each reference happens, in order, as it
 * does where it is a message. */
#define XMP_COUNTERPART(coarray, element, image)      \
    const __auto_type xmp_mine = &(element);          \
    const long long xmp_image = (image);              \
    const XMP_Coarray *const xmp_coarray = (coarray); \
    volatile __typeof__(*xmp_mine) *const xmp_there = XMP_REACH(xmp_coarray, xmp_image, (const void *)xmp_mine)
/* The type of an element's value: without const and volatile. */
#define XMP_VALUE(element) __typeof__(((void)0, element))
#define XMP_LOAD(site, value)                 \
    (xmp_there ? (void)((value) = *xmp_there) \
               : XMP_Get_run(site, xmp_coarray, xmp_image, (const void *)xmp_mine, (void *)&(value), sizeof(value)))
#define XMP_STORE(site, value)                \
    (xmp_there ? (void)(*xmp_there = (value)) \
               : XMP_Put_run(site, xmp_coarray, xmp_image, (void *)xmp_mine, (const void *)&(value), sizeof(value)))

/* (local) xmpcc --check: a use of an element of this image's own block. */
static __inline__ void XMP_Note(XMP_Noted *noted, const void *address) {
    if (noted->count > 1 && (const char *)address == noted->next) {
        noted->next += noted->stride;
        noted->count++;
    } else {
        XMP_Note_more(noted, address);
    }
}
/* (local) xmpcc --check, in front of a loop: it uses `count` elements from one on, stride bytes apart. */
static __inline__ void XMP_Note_row(XMP_Noted *noted, const void *first, ptrdiff_t stride, XMP_Index count) {
    if (noted->count != (size_t)count || noted->first != (const char *)first || noted->stride != stride)
        XMP_Note_new_row(noted, first, stride, (size_t)count);
}
static __inline__ XMP_Index XMP_Trips(XMP_Index first, XMP_Index last, XMP_Index step) {
    return (step > 0 ? first > last : first < last) ? 0 : (last - first) / step + 1;
}
#ifdef _OPENMP
#define XMP_USE(text, writes, element) (element)
#define XMP_USE_ROW(text, writes, element, stride, count) ((void)0)
#else
#define XMP_USE_ROW(text, writes, element, stride, count)                                                             \
    do {                                                                                                              \
        const XMP_Index xmp_count = (count);                                                                          \
        static XMP_Noted xmp_noted = {{__FILE__, __LINE__, "`" text "`"}, sizeof(element), writes, 0, 0, 0, 0, 0, 0}; \
        if (xmp_count > 0) XMP_Note_row(&xmp_noted, (const void *)&(element), stride, xmp_count);                     \
    } while (0)
#define XMP_USE(text, writes, element)                                                                                \
    (*__extension__({                                                                                                 \
        const __auto_type xmp_own = &(element);                                                                       \
        static XMP_Noted xmp_noted = {{__FILE__, __LINE__, "`" text "`"}, sizeof *xmp_own, writes, 0, 0, 0, 0, 0, 0}; \
        XMP_Note(&xmp_noted, (const void *)xmp_own);                                                                  \
        xmp_own;                                                                                                      \
    }))
#endif

/* x = a[i]:[k] */
#define XMP_GET(text, coarray, element, image)    \
    __extension__({                               \
        XMP_COUNTERPART(coarray, element, image); \
        XMP_VALUE(*xmp_mine) xmp_value;           \
        XMP_LOAD(XMP_CODE(text), xmp_value);      \
        xmp_value;                                \
    })

/* a[i]:[k] = value; the value of the whole is the element's new one. */
#define XMP_PUT(text, coarray, element, image, value)   \
    __extension__({                                     \
        XMP_COUNTERPART(coarray, element, image);       \
        const XMP_VALUE(*xmp_mine) xmp_value = (value); \
        XMP_STORE(XMP_CODE(text), xmp_value);           \
        xmp_value;                                      \
    })

/* a[i]:[k] += value and so on, atomic; operation and type: XMP_SUM ..., XMP_TYPE_... */
#define XMP_UPDATE(text, coarray, element, image, operation, type, value)                                                \
    __extension__({                                                                                                      \
        const __auto_type xmp_mine = &(element);                                                                         \
        XMP_VALUE(*xmp_mine) xmp_value = (value);                                                                        \
        XMP_Accumulate_one(XMP_CODE(text), coarray, image, (void *)xmp_mine, (const void *)&xmp_value, operation, type); \
    })

/* a[i]:[k] %= value and so on: get, operate, put. Not atomic. */
#define XMP_MODIFY(text, coarray, element, image, assignment, value) \
    __extension__({                                                  \
        XMP_COUNTERPART(coarray, element, image);                    \
        XMP_VALUE(*xmp_mine) xmp_value;                              \
        const XMP_Site *const xmp_at = XMP_CODE(text);               \
        XMP_LOAD(xmp_at, xmp_value);                                 \
        xmp_value assignment(value);                                 \
        XMP_STORE(xmp_at, xmp_value);                                \
        xmp_value;                                                   \
    })

/* a[i]:[k]++ and a[i]:[k]-- of an integer of 4 or 8 bytes, atomic; the value of the whole is the old one. */
#define XMP_FETCH_ADD(text, coarray, element, image, value)                                                      \
    __extension__({                                                                                              \
        const __auto_type xmp_mine = &(element);                                                                 \
        XMP_VALUE(*xmp_mine) xmp_value;                                                                          \
        XMP_Atomic(XMP_CODE(text), coarray, image, (void *)xmp_mine, sizeof xmp_value, XMP_ATOMIC_ADD, value, 0, \
                   (void *)&xmp_value);                                                                          \
        xmp_value;                                                                                               \
    })

/* x = a[i]:[k] += value, ++a[i]:[k] and so on (sign: + or -) of an integer of 4 or 8 bytes, atomic; the value of the whole is
 * the new one. */
#define XMP_ADD_FETCH(text, coarray, element, image, sign, value)                                   \
    __extension__({                                                                                 \
        const long long xmp_added = sign(value);                                                    \
        (__typeof__(element))(XMP_FETCH_ADD(text, coarray, element, image, xmp_added) + xmp_added); \
    })

/* (local) This image's index, as the coarray counts. */
static __inline__ int XMP_This_image(const XMP_Coarray *coarray) {
    const int me = xmpc_all_node_num();
    int image;
    for (image = 0; image < coarray->images->count; image++)
        if (coarray->images->node[image] == me) return image;
    return -1;
}

/* (local) Memory for what array assignments keep in between: `T *const t XMP_SCOPED(XMP_Temporary_free) = XMP_Temporary(n)`. */
static __inline__ void *XMP_Temporary(size_t bytes) {
    void *const memory = malloc(bytes ? bytes : 1);
    if (memory == NULL) abort();
    return memory;
}
static __inline__ void XMP_Temporary_free(const void *variable) {
    free(*(void *const *)variable);
}

/* (local) Number of subscripts from `base` on in steps of `step` to the end of a dimension: where a section omits its length.
 */
static __inline__ XMP_Index XMP_Rest(XMP_Index size, XMP_Index base, XMP_Index step) {
    return step > 0 ? (size - base + step - 1) / step : base / -step + 1;
}

/* (local) xmpcc --transport=NAME: the default where KUMIHIMO_TRANSPORT is not set. */
static __inline__ void XMP_Default_transport(const char *name) {
    int setenv(const char *, const char *, int); /* strict C modes do not declare it */
    setenv("KUMIHIMO_TRANSPORT", name, 0);
}

#endif
