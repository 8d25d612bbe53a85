/* The library of the XcalableMP specification (chapter 7, appendices A and B), as users call it.
 * Included by xmpcc before every source file's first line that needs it; found as <xmp.h> through xmpcc's include path
 * and as <kumihimo/xmp.h> by other programs (Debian's libxmp-dev owns xmp.h). */
#ifndef KUMIHIMO_XMP_H
#define KUMIHIMO_XMP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define _XMP 201811

typedef void *xmp_desc_t; /* of a node array, a template or a global array: xmp_desc_of(name) */

/* Distribution formats that xmp_dist_format returns. */
enum { XMP_NOT_DISTRIBUTED = 0, XMP_BLOCK = 1, XMP_CYCLIC = 2, XMP_GBLOCK = 3 };

#ifdef __cplusplus
}
#endif

#endif
