/* What compiled programs call for the local view (specification chapter 5; sections: 3.1, 3.2): coarrays, image control, post
 * and wait, locks, atomic operations. Users write directives and `a[i]:[k]`; xmpcc writes these calls.
 *
 * A coarray has one block of the same size on every image of the entire set. An element of another image's block is named by
 * the address that the same element has in this image's block, and the image: generated code keeps the user's subscripts.
 * Images are numbered from 0 in the executing set, or in the node array that `coarray on p :: a` names (XMP_Images).
 * Completion (decision COA-15): get is blocking; a put has read its source when it returns, and it and an accumulate are
 * complete at the image at the next image control of this image. Accumulates are atomic element by element (COA-09). */
#ifndef KUMIHIMO_LOCALVIEW_H
#define KUMIHIMO_LOCALVIEW_H

#ifdef __GNUC__
#pragma GCC system_header /* pedantic warnings are for the program's own text, in any dialect */
#endif

#include "kumihimo/generated.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 before main if a file of the program is of the local view, or has gmove in or out (coarrays.h): nodes reach each other's
 * parts of global arrays. All nodes that execute a declaration then allocate together. */
extern int XMP_local_view;

/* What image indices count: the number in the entire set of each image. */
typedef struct XMP_Images {
    int count;
    const int *node;
} XMP_Images;
extern XMP_Images XMP_current_images; /* of the executing set: the runtime keeps it at every push and pop */
extern int XMP_current_image;         /* this one's number in it; -1: the runtime is not running */

typedef struct XMP_Coarray {
    void *base;          /* this image's block, zero-filled or initialised */
    char *const *direct; /* by number in the entire set: that image's block mapped here, NULL: only a transport reaches it */
    const XMP_Images *images; /* what its image indices count: &XMP_current_images, or of the node array it is pinned to */
    size_t bytes;             /* of a block */
} XMP_Coarray;

/* Collective over the entire set, from a unit's declare function (file scope and static coarrays) in source order.
 * initial: bytes of initial value (on every image the same object of the program), or NULL: zeros. */
XMP_Coarray *XMP_Coarray_declare(const char *name, size_t bytes, const void *initial);
/* (local) Its elements and dimensions as written: what messages show. */
void XMP_Coarray_shape(XMP_Coarray *coarray, size_t element_bytes, int rank, const XMP_Index *sizes);
/* `extern` coarrays: checks that the definition has this size. (local) */
void XMP_Coarray_expect(const XMP_Coarray *coarray, const char *name, size_t bytes);
/* (local) The coarray in whose block on this image the address lies: for dummy arguments, coarray pointers, and a global array
 * as coarray through its local section. Ends the job with a message if it is in none. */
XMP_Coarray *XMP_Coarray_of(const XMP_Site *site, const void *address);
/* (local) The same of coarrays only; NULL: it is in none. The coarray has its meaning as long as no coarray has been released
 * in between. */
const XMP_Coarray *XMP_Coarray_around(const void *address);
extern long long XMP_coarrays_released; /* how many times */
size_t XMP_Coarray_bytes(void);         /* (local) of all coarrays on this image */
/* xmp_comalloc: the block here of a new coarray on the executing nodes, which all call it. element_bytes: of what the pointer
 * points to; coextents: the sizes of all codimensions but the last. */
void *XMP_Coarray_allocate(const XMP_Site *site, const char *name, size_t bytes, size_t element_bytes, int coextents,
                           const int *coextent);
/* (local) The index of the image with these indices in the codimensions of a coarray of xmp_comalloc. */
XMP_Index XMP_Coarray_image(const XMP_Site *site, const XMP_Coarray *coarray, int codimensions, const XMP_Index *index);
/* `coarray on nodes :: a` (5.3): a descriptor of the same coarray with on-node indices. Released at the scope's end. */
XMP_Coarray *XMP_Coarray_on(const XMP_Site *site, XMP_Coarray *coarray, const XMP_Nodes *nodes);
void XMP_Coarray_release(XMP_Coarray **coarray);

/* (local) The address here of the element whose own copy is at `mine`, on an image; NULL: no such image, or no direct pointer.
 */
static __inline__ void *XMP_Direct(const XMP_Coarray *coarray, long long image, const void *mine) {
    if ((unsigned long long)image >= (unsigned long long)coarray->images->count) return NULL;
    char *const block = coarray->direct[coarray->images->node[image]];
    return block == NULL ? NULL : block + ((const char *)mine - (const char *)coarray->base);
}

/* A section in memory: dimensions as written; rank 0: one element. Strides in bytes, of any sign. */
typedef struct XMP_Section {
    void *address; /* of the first element */
    int rank;
    XMP_Index count[XMP_MAX_RANK], stride[XMP_MAX_RANK];
} XMP_Section;

/* One element or run of bytes; `mine` names it as above. Independent. */
void XMP_Get_run(const XMP_Site *site, const XMP_Coarray *coarray, long long image, const void *mine, void *to, size_t bytes);
void XMP_Put_run(const XMP_Site *site, const XMP_Coarray *coarray, long long image, void *mine, const void *from, size_t bytes);
/* Sections of equal counts; a source of rank 0 goes to every element. `remote` is given by addresses in this image's block. */
void XMP_Get(const XMP_Site *site, const XMP_Coarray *coarray, long long image, const XMP_Section *remote,
             const XMP_Section *to, size_t element_bytes);
void XMP_Put(const XMP_Site *site, const XMP_Coarray *coarray, long long image, const XMP_Section *remote,
             const XMP_Section *from, size_t element_bytes);
/* remote op= from, element by element. operation: XMP_SUM, XMP_PRODUCT, XMP_BAND, XMP_BOR, XMP_BXOR, or one of these; type: an
 * XMP_TYPE of both sides. */
enum { XMP_DIFFERENCE = 32, XMP_QUOTIENT };
void XMP_Accumulate(const XMP_Site *site, const XMP_Coarray *coarray, long long image, const XMP_Section *remote,
                    const XMP_Section *from, int operation, int type);
/* The same of one element; `mine` names it as above. */
void XMP_Accumulate_one(const XMP_Site *site, const XMP_Coarray *coarray, long long image, void *mine, const void *from,
                        int operation, int type);

/* Atomic operations on 4- and 8-byte integers (F2018 16.9: atomic_define ... atomic_cas). result NULL: not wanted. */
enum XMP_Atomic_operation {
    XMP_ATOMIC_DEFINE,
    XMP_ATOMIC_REF,
    XMP_ATOMIC_ADD,
    XMP_ATOMIC_AND,
    XMP_ATOMIC_OR,
    XMP_ATOMIC_XOR,
    XMP_ATOMIC_CAS /* compare with `compare`, then `operand` */
};
void XMP_Atomic(const XMP_Site *site, const XMP_Coarray *coarray, long long image, void *mine, size_t bytes, int operation,
                long long operand, long long compare, void *result);

/* post and wait (5.8.2, 5.8.3). XMP_Wait: on NULL: from any node; tag NULL: any tag. */
void XMP_Post(const XMP_Site *site, const XMP_On *node, int tag);
void XMP_Wait(const XMP_Site *site, const XMP_On *node, const int *tag);

/* lock and unlock (5.8.4) of the lock whose own copy is at `mine`; acquired and stat may be NULL. */
void XMP_Lock(const XMP_Site *site, const XMP_Coarray *coarray, long long image, void *mine, int *acquired, int *stat);
void XMP_Unlock(const XMP_Site *site, const XMP_Coarray *coarray, long long image, void *mine, int *stat);

/* (local) Programs compiled with --check, before an array assignment: whether base:length:step lies inside a dimension, and
 * whether both sides have as many elements in a dimension (from 1). */
void XMP_Check_section(const XMP_Site *site, XMP_Index size, XMP_Index base, XMP_Index length, XMP_Index step);
void XMP_Check_counts(const XMP_Site *site, int dimension, XMP_Index left, XMP_Index right);
/* (local) The same of an image's index in one codimension (from 1; index from 0), which it returns. */
XMP_Index XMP_Check_coindex(const XMP_Site *site, int codimension, XMP_Index size, XMP_Index index);

/* (local) xmpcc --check: a place of the program that uses an element of this image's own block, and what it has used since the
 * images synchronised last: `count` elements from `first` on, `stride` bytes apart. Not for several threads at once. */
typedef struct XMP_Noted {
    XMP_Site site;
    size_t bytes;
    int writes, known;
    const char *first, *next;
    ptrdiff_t stride;
    size_t count;
    struct XMP_Noted *other;
} XMP_Noted;
void XMP_Note_more(XMP_Noted *noted, const void *address);
void XMP_Note_new_row(XMP_Noted *noted, const void *first, ptrdiff_t stride, size_t count);

/* `image(p)` (5.4): the next image control of this node counts images of p. */
void XMP_Image(const XMP_Site *site, const XMP_Nodes *nodes);

/* (local) xmp_get_primary_image_index and xmp_get_image_index where the first image has this number. */
void XMP_Primary_image_index(int first, int number, const int index[], int primary_index[], xmp_desc_t nodes);
void XMP_Current_image_index(int first, int number, const int index[], int current_index[], xmp_desc_t nodes);
/* (local) For coarrays of Fortran in `coarray on nodes` (5.3), whose image selectors count executing images from 1: the number
 * that stands there for an image of the nodes. One that is no executing image has a number beyond all others', that of its node
 * behind XMP_FIRST_OTHER_IMAGE. And the number of this image among the nodes, from 1; 0: it is none. */
enum { XMP_FIRST_OTHER_IMAGE = 1 << 30 };
int XMP_Image_on(const XMP_Site *site, const XMP_Nodes *nodes, int index);
int XMP_This_image_on(const XMP_Site *site, const XMP_Nodes *nodes);

#ifdef __cplusplus
}
#endif

#endif
