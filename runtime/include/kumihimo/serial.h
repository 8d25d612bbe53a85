/* What makes a program with <xmp.h>, <xmp_io.h> or <xmpnc.h> run when plain gcc compiled it, without its directives: one node,
 * which starts before main, and arrays that are ordinary ones. `pkg-config --cflags kumihimo-serial` defines KUMIHIMO_SERIAL;
 * <xmp.h> then includes this. The functions are those of the parallel library, on one node.
 *
 * Node arrays and templates are declared by directives only, so xmp_desc_of takes arrays only; their mapping inquiries tell of
 * blocks on one node without shadow. C only: in C++ there is no xmp_desc_of. */
#ifndef KUMIHIMO_SERIAL_H
#define KUMIHIMO_SERIAL_H

#include "kumihimo/generated.h"

#ifdef __cplusplus
extern "C" {
#endif

/* (local) Starts the runtime; ends the program with a message where it was started on several nodes. */
void XMP_Serial_start(void);
/* (local) An array, or a pointer that xmp_malloc gives memory to. bytes: of the whole (or the pointer), of its first element,
 * of that one's, down to the element of the array. */
void *XMP_Serial_descriptor(const XMP_Site *site, const char *name, int type, int rank, const size_t *bytes, void *variable,
                            int is_pointer);
void *XMP_Serial_malloc(const XMP_Site *site, void *descriptor, int rank, const XMP_Index *sizes);
void XMP_Serial_free(const XMP_Site *site, void *descriptor);

#ifdef __cplusplus
}
#endif

#ifdef KUMIHIMO_SERIAL

__attribute__((constructor)) static void xmp_start_serial(void) {
    XMP_Serial_start();
}

#ifndef __cplusplus

/* An array's first element, what a pointer points to, and anything else itself: the type of the next dimension. */
#define XMP_INNER(x) (*__builtin_choose_expr(__builtin_classify_type(x) == 5 /* a pointer, as arrays decay */, (x), &(x)))
#define XMP_SAME(x, y) __builtin_types_compatible_p(__typeof__(x), __typeof__(y))

#define XMP_TYPE_OF(x)                                       \
    _Generic((x), _Bool                                      \
             : XMP_TYPE_BOOL, char                           \
             : XMP_TYPE_CHAR, signed char                    \
             : XMP_TYPE_SCHAR, unsigned char                 \
             : XMP_TYPE_UCHAR, short                         \
             : XMP_TYPE_SHORT, unsigned short                \
             : XMP_TYPE_USHORT, int                          \
             : XMP_TYPE_INT, unsigned                        \
             : XMP_TYPE_UINT, long                           \
             : XMP_TYPE_LONG, unsigned long                  \
             : XMP_TYPE_ULONG, long long                     \
             : XMP_TYPE_LONGLONG, unsigned long long         \
             : XMP_TYPE_ULONGLONG, float                     \
             : XMP_TYPE_FLOAT, double                        \
             : XMP_TYPE_DOUBLE, long double                  \
             : XMP_TYPE_LONGDOUBLE, float _Complex           \
             : XMP_TYPE_FLOAT_COMPLEX, double _Complex       \
             : XMP_TYPE_DOUBLE_COMPLEX, long double _Complex \
             : XMP_TYPE_LONGDOUBLE_COMPLEX, default          \
             : XMP_TYPE_OTHER)

#define xmp_desc_of(x)                                                                                                    \
    __extension__({                                                                                                       \
        __typeof__(x) *const xmp_0 = &(x);                                                                                \
        __typeof__(XMP_INNER(*xmp_0)) *const xmp_1 = NULL;                                                                \
        __typeof__(XMP_INNER(*xmp_1)) *const xmp_2 = NULL;                                                                \
        __typeof__(XMP_INNER(*xmp_2)) *const xmp_3 = NULL;                                                                \
        __typeof__(XMP_INNER(*xmp_3)) *const xmp_4 = NULL;                                                                \
        __typeof__(XMP_INNER(*xmp_4)) *const xmp_5 = NULL;                                                                \
        __typeof__(XMP_INNER(*xmp_5)) *const xmp_6 = NULL;                                                                \
        __typeof__(XMP_INNER(*xmp_6)) *const xmp_7 = NULL;                                                                \
        const int xmp_rank = !XMP_SAME(*xmp_0, *xmp_1) + !XMP_SAME(*xmp_1, *xmp_2) + !XMP_SAME(*xmp_2, *xmp_3) +          \
                             !XMP_SAME(*xmp_3, *xmp_4) + !XMP_SAME(*xmp_4, *xmp_5) + !XMP_SAME(*xmp_5, *xmp_6) +          \
                             !XMP_SAME(*xmp_6, *xmp_7);                                                                   \
        XMP_Serial_descriptor(XMP_CODE("xmp_desc_of(" #x ")"), #x, XMP_TYPE_OF(*xmp_7), xmp_rank,                         \
                              (const size_t[]){sizeof *xmp_0, sizeof *xmp_1, sizeof *xmp_2, sizeof *xmp_3, sizeof *xmp_4, \
                                               sizeof *xmp_5, sizeof *xmp_6, sizeof *xmp_7},                              \
                              (void *)xmp_0, XMP_SAME(*xmp_0, xmp_1));                                                    \
    })
#define xmp_array_of(x) xmp_desc_of(x)

#define xmp_malloc(descriptor, ...)                                                          \
    XMP_Serial_malloc(XMP_CODE("xmp_malloc(" #descriptor ", " #__VA_ARGS__ ")"), descriptor, \
                      (int)(sizeof((const XMP_Index[]){__VA_ARGS__}) / sizeof(XMP_Index)), (const XMP_Index[]){__VA_ARGS__})
#define xmp_free(descriptor) XMP_Serial_free(XMP_CODE("xmp_free(" #descriptor ")"), descriptor)

#endif

#endif

#endif
