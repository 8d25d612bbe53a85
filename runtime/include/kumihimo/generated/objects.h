/* What calls of compiled programs are about: where a directive stands, nodes, templates, global arrays and tasks (chapter 4),
 * variables with their sections. Part of generated.h, which says how to read it. */
#ifndef KUMIHIMO_GENERATED_OBJECTS_H
#define KUMIHIMO_GENERATED_OBJECTS_H

#ifdef __GNUC__
#pragma GCC system_header /* pedantic warnings are for the program's own text, in any dialect */
#endif

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#ifndef KUMIHIMO_XMP_H
#define KUMIHIMO_WITHOUT_MPI /* a program that includes <xmp.h> itself gets the rest then */
#include "kumihimo/xmp.h"
#undef KUMIHIMO_WITHOUT_MPI
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Around declarations of the translation that hide the program's variables on purpose. */
#ifdef __GNUC__
#define XMP_HIDING _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define XMP_HIDDEN _Pragma("GCC diagnostic pop")
#if !defined __cplusplus && (!defined __STDC_VERSION__ || __STDC_VERSION__ < 199901L)
#pragma GCC diagnostic ignored "-Wpedantic" /* C90 has no compound literals; the translation has */
#endif
#else
#define XMP_HIDING
#define XMP_HIDDEN
#endif

#define XMP_ABI_VERSION 2
#define XMP_MAX_RANK 7

typedef int64_t XMP_Index;

/* ---- Where a directive stands; every call carries it for its messages. (C only; Fortran passes the struct.) ---- */
typedef struct XMP_Site {
    const char *file;
    int line;
    const char *directive; /* as the user wrote it, shortened to one line */
} XMP_Site;
#define XMP_SITE(text) XMP_SITE_AT(__LINE__, text)
#define XMP_SITE_AT(line, text)                                  \
    __extension__({                                              \
        static const XMP_Site xmp_site = {__FILE__, line, text}; \
        &xmp_site;                                               \
    })
#define XMP_CODE(text) XMP_CODE_AT(__LINE__, text) /* of a piece of code that is no directive */
#define XMP_CODE_AT(line, text) XMP_SITE_AT(line, "`" text "`")

/* (local) Before a call of a function of xmp.h that may wait: where it stands, as messages of that call then say. */
extern const XMP_Site *XMP_called;
static __inline__ void XMP_Call(const XMP_Site *site) {
    XMP_called = site;
}

/* ---- Objects. Opaque but for the part of an array that inner loops read. ---- */
typedef struct XMP_Nodes XMP_Nodes;
typedef struct XMP_Template XMP_Template;

typedef struct XMP_Dimension {
    XMP_Index length; /* allocated elements, shadow included: the row length of the view */
    XMP_Index origin; /* view subscript of the first allocated element */
    XMP_Index block;  /* n of cyclic(n) where the view subscript is a position; 0 where it is the global index */
    XMP_Index nodes;  /* nodes along a cyclic dimension */
    XMP_Index offset; /* cyclic: template index - lower bound of the template = array index + offset */
} XMP_Dimension;

typedef struct XMP_Array {
    void *origin; /* address of the element whose view subscripts are all 0; may lie outside the block: never dereference it
                     itself */
    void *base;   /* first allocated element, shadow included; NULL where nothing is allocated on this node */
    XMP_Dimension dimension[XMP_MAX_RANK];
    const struct XMP_Known *known; /* for programs compiled with --check, once the runtime has been asked; else NULL */
} XMP_Array;

/* (local) View subscript of a global index in dimension d (0-based, as written): one division in cyclic dimensions. */
static __inline__ XMP_Index XMP_Subscript(const XMP_Array *array, int d, XMP_Index index) {
    const XMP_Dimension *const dim = &array->dimension[d];
    if (dim->block == 0) return index;
    const XMP_Index position = index + dim->offset;
    const XMP_Index round = dim->block * dim->nodes;
    return position / round * dim->block + position % dim->block;
}

/* ---- nodes (4.2) ---- */
enum { XMP_ROW_MAJOR = 0 /* [ ] form */, XMP_COLUMN_MAJOR = 1 /* ( ) form */ };
#define XMP_REMAINING ((XMP_Index)-1) /* size `*` */

/* One subscript of a reference to nodes or a template. Node subscripts are 0-based coordinates whatever the form,
 * template subscripts are template indices. */
enum { XMP_SUBSCRIPT_RANGE = 0, XMP_SUBSCRIPT_ALL = 1 /* : */, XMP_SUBSCRIPT_OWN = 2 /* * */ };
typedef struct XMP_Range {
    int kind;
    XMP_Index first, last, step;
} XMP_Range;
#define XMP_AT(i) \
    { XMP_SUBSCRIPT_RANGE, (i), (i), 1 }
#define XMP_FROM_TO(first, last, step) \
    { XMP_SUBSCRIPT_RANGE, (first), (last), (step) }
#define XMP_OPEN \
    INT64_MIN /* as first or last of XMP_FROM_TO: where the dimension begins or ends, in the direction of the step */
#define XMP_ALL \
    { XMP_SUBSCRIPT_ALL, 0, 0, 1 }
#define XMP_OWN \
    { XMP_SUBSCRIPT_OWN, 0, 0, 1 }

/* A reference in an on, from or `nodes =` clause. A NULL pointer to one means the executing set (`*`). */
typedef struct XMP_On {
    const void *object; /* XMP_Nodes or XMP_Template */
    int rank;           /* 0: the whole object */
    const XMP_Range *subscripts;
} XMP_On;
#define XMP_ON(object, rank, ...) (&(const XMP_On){(object), (rank), (const XMP_Range[]){__VA_ARGS__}})
#define XMP_ON_WHOLE(object) (&(const XMP_On){(object), 0, NULL})

enum { XMP_NODES_ENTIRE = 0, XMP_NODES_EXECUTING = 1 /* `=*` */, XMP_NODES_PART = 2 /* `= nodes-ref` */ };
XMP_Nodes *XMP_Nodes_declare(const XMP_Site *site, const char *name, int order, int rank, const XMP_Index *sizes, int of,
                             const XMP_On *part);
/* (local) Tells the executing set from all sets of which there are node arrays. */
XMP_Index XMP_Executing_set(void);

/* ---- template, distribute, template_fix (4.3) ---- */
typedef struct XMP_Bounds {
    XMP_Index lower, upper;
} XMP_Bounds;
typedef struct XMP_Format {
    int kind;         /* XMP_NOT_DISTRIBUTED, XMP_BLOCK, XMP_CYCLIC, XMP_GBLOCK (xmp.h) */
    int onto;         /* dimension of the node array, 0-based; -1 where not distributed */
    XMP_Index size;   /* block(n), cyclic(n), by XMP_Size; 0: the default. gblock: entries of `sizes`; 0 for gblock(*) */
    const int *sizes; /* gblock; read during the call */
} XMP_Format;
/* (local) A size that the user gave: 0 is a mistake, not the default. */
#define XMP_NO_SIZE INT64_MIN
static __inline__ XMP_Index XMP_Size(XMP_Index given) {
    return given == 0 ? XMP_NO_SIZE : given;
}
#define XMP_FORMAT_NONE \
    { XMP_NOT_DISTRIBUTED, -1, 0, NULL }
#define XMP_FORMAT_BLOCK(onto, size) \
    { XMP_BLOCK, (onto), (size), NULL }
#define XMP_FORMAT_CYCLIC(onto, size) \
    { XMP_CYCLIC, (onto), (size), NULL }
#define XMP_FORMAT_GBLOCK(onto, entries, sizes) \
    { XMP_GBLOCK, (onto), (entries), (sizes) }

/* bounds NULL: deferred shape `:`. */
XMP_Template *XMP_Template_declare(const XMP_Site *site, const char *name, int order, int rank, const XMP_Bounds *bounds);
void XMP_Distribute(const XMP_Site *site, XMP_Template *target, XMP_Nodes *nodes, const XMP_Format *formats);
/* bounds or formats may be NULL: keep what the declaration said. Arrays aligned before that can now be allocated are. */
void XMP_Template_fix(const XMP_Site *site, XMP_Template *target, const XMP_Bounds *bounds, const XMP_Format *formats);

/* ---- arrays: align, shadow, allocation (4.3.4, 4.3.5, 3.5) ---- */
enum XMP_Type { /* element types; the order is the ABI */
                XMP_TYPE_OTHER = 0,
                XMP_TYPE_BOOL,
                XMP_TYPE_CHAR,
                XMP_TYPE_SCHAR,
                XMP_TYPE_UCHAR,
                XMP_TYPE_SHORT,
                XMP_TYPE_USHORT,
                XMP_TYPE_INT,
                XMP_TYPE_UINT,
                XMP_TYPE_LONG,
                XMP_TYPE_ULONG,
                XMP_TYPE_LONGLONG,
                XMP_TYPE_ULONGLONG,
                XMP_TYPE_FLOAT,
                XMP_TYPE_DOUBLE,
                XMP_TYPE_LONGDOUBLE,
                XMP_TYPE_FLOAT_COMPLEX,
                XMP_TYPE_DOUBLE_COMPLEX,
                XMP_TYPE_LONGDOUBLE_COMPLEX,
                XMP_TYPE_LOGICAL /* Fortran, 4 bytes */
};
typedef struct XMP_Align {
    int onto;         /* template dimension, 0-based; -1: collapsed */
    XMP_Index offset; /* element i lies on template index i + offset */
} XMP_Align;
typedef struct XMP_Width { /* of a shadow, a reflect, an expand */
    XMP_Index lower, upper;
    int modifier; /* XMP_WIDTH_... */
} XMP_Width;
enum { XMP_WIDTH_PLAIN = 0, XMP_WIDTH_FULL = 1 /* shadow `*` */, XMP_WIDTH_PERIODIC = 2 /* reflect */ };

/* Declares (bounds given: static or automatic array, allocated here or by template_fix; bounds NULL: a pointer or allocatable
 * array, allocated by xmp_malloc or XMP_Array_allocate). shadow NULL: none. A rank-0 array does not exist. */
XMP_Array *XMP_Array_declare(const XMP_Site *site, const char *name, int order, int type, size_t element_bytes, int rank,
                             const XMP_Bounds *bounds, XMP_Template *target, const XMP_Align *align, const XMP_Width *shadow);
/* Allocates a deferred array with these bounds. xmp_malloc is this with lower bounds 0. Returns base. */
void *XMP_Array_allocate(const XMP_Site *site, XMP_Array *array, const XMP_Bounds *bounds);
/* A dummy argument: the descriptor of the block that starts at `base`. Returns the caller's own descriptor when base is a
 * global array's with the same mapping, else one for this mapping of the same memory. An upper bound of XMP_OPEN is not known
 * to the callee: the caller's array, or else the template, has it. (local) */
XMP_Array *XMP_Array_argument(const XMP_Site *site, const char *name, int order, int type, size_t element_bytes, int rank,
                              const XMP_Bounds *bounds, XMP_Template *target, const XMP_Align *align, const XMP_Width *shadow,
                              void *base);
/* `u = address` for an aligned pointer u: its descriptor becomes that of the array whose block starts there, which must have
 * the same layout. Returns the address. (local) */
void *XMP_Array_point(const XMP_Site *site, XMP_Array **array, const void *address);
/* Whether all nodes of these arrays execute now, so that all of them have created the arrays. NULL: no array. (local) */
int XMP_Array_complete(int count, XMP_Array *const *arrays);
/* Whether all nodes of these arrays have created them together. (local) */
int XMP_Array_shared(int count, XMP_Array *const *arrays);
/* The executing nodes use these arrays. Where others created them before, in a task, all allocate them together now, and each
 * node keeps its elements. */
void XMP_Array_join(int count, XMP_Array *const *arrays);
/* The array whose block starts at an address that a function has returned as its result. (local) */
XMP_Array *XMP_Array_result(const XMP_Site *site, void *address);
/* (local) A global array as the argument of a function: its block. The message of a parameter that is declared in another way
 * says where it was passed. */
typedef struct XMP_Passing {
    const XMP_Site *site;
    const void *base;
} XMP_Passing;
extern XMP_Passing XMP_passed; /* the last one */
static __inline__ void *XMP_Pass(const XMP_Site *site, const XMP_Array *array) {
    XMP_passed.site = site;
    XMP_passed.base = array->base;
    return array->base;
}
/* From a unit's check function: the extern declaration in this unit must agree with the definition. (local) */
void XMP_Array_expect(const XMP_Site *site, const XMP_Array *array, const char *name, int order, int type, size_t element_bytes,
                      int rank, const XMP_Bounds *bounds, XMP_Template *target, const XMP_Align *align,
                      const XMP_Width *shadow);

/* Ends of scopes: `XMP_Array *a_xmp XMP_SCOPED(XMP_Array_release) = ...`, so that return, goto and break clean up too. */
#define XMP_SCOPED(function) __attribute__((cleanup(function)))
void XMP_Array_release(XMP_Array **array);
void XMP_Template_release(XMP_Template **target);
void XMP_Nodes_release(XMP_Nodes **nodes);

/* ---- task, tasks (4.4.1, 4.4.2) ---- */
enum { XMP_TASK_NOCOMM = 1 };
typedef struct XMP_Task {
    void *set;  /* the runtime's */
    int member; /* whether this node executes the block */
    int entered;
} XMP_Task;
/* task: prepare and enter in one. Inside tasks: all prepared at the head, entered one after another. */
XMP_Task XMP_Task_prepare(const XMP_Site *site, const XMP_On *on, int flags);
int XMP_Task_enter(XMP_Task *task);  /* (local to the members) pushes the set; returns member */
void XMP_Task_leave(XMP_Task *task); /* pops if entered; the cleanup function */

/* ---- sections of variables ---- */
/* One subscript: the index `first`, or `length` elements from `first` on, `step` apart. XMP_OPEN as first: the lower
 * bound; as length: what remains of the dimension in the direction of the step. */
typedef struct XMP_Triplet {
    int section; /* 0: an index; 1: a section */
    XMP_Index first, length, step;
} XMP_Triplet;
#define XMP_INDEX(i) \
    { 0, (i), 1, 1 }
#define XMP_TRIPLET(first, length, step) \
    { 1, (first), (length), (step) }

/* A variable or a part of one: a side of a gmove, a variable of a clause. array NULL: memory of each node (a local array, a
 * scalar): its extents (XMP_OPEN: not known) and the bytes between neighbours along each dimension; address of the element
 * whose subscripts are all 0. */
typedef struct XMP_Side {
    const char *text; /* as the user wrote it */
    const XMP_Array *array;
    void *address;
    int type; /* these two of memory, and of a member of an array's elements; else 0, an array knows its own */
    size_t element_bytes;
    int rank; /* 0: a scalar */
    const XMP_Triplet *subscripts;
    const XMP_Index *extents, *strides;
    size_t member; /* where the member begins in an element */
} XMP_Side;

#ifdef __cplusplus
}
#endif

#endif
