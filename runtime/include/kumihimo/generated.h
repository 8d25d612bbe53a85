/* What programs compiled by xmpcc and xmpf90 call, in the style of MPI's C interface: one call for each directive.
 * You may write such calls by hand: a translated program (xmpcc --save-temps) is ordinary C that plain mpicc compiles.
 * Spec functions that users call stand in xmp.h. All calls are collective over the executing node set unless marked (local).
 * On an error a call prints one message with the site's file, line and directive, and ends the job.
 *
 * Lists of dimensions stand in the order in which the user wrote them. "View subscript": what stands between brackets
 * in generated code; the global index in block, gblock, collapsed and fully shadowed dimensions, the template-local
 * position in cyclic ones (decision view-subscripts).
 *
 * Programs may be C90, and C90 has no `inline`: functions here are `static __inline__`. */
#ifndef KUMIHIMO_GENERATED_H
#define KUMIHIMO_GENERATED_H

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

/* For programs compiled with --check: a place of the program that uses elements of arrays, and what the runtime keeps for it.
 */
typedef struct XMP_Place {
    XMP_Site site;
    const struct XMP_Array *array; /* the one that it has read last from the shadow */
    uint32_t step;                 /* XMP_stamps.read of that time */
    uint32_t stamp;                /* what it notes since then for each element that it reads */
    uint32_t fresh;                /* the same as step if all that the array has in its shadow is new enough; else 0 */
} XMP_Place;
#define XMP_PLACE(text)                                                                   \
    __extension__({                                                                       \
        static XMP_Place xmp_place = {{__FILE__, __LINE__, "`" text "`"}, NULL, 0, 0, 0}; \
        &xmp_place;                                                                       \
    })

/* (local) For programs compiled with --check: the address of an element that this node stores (shadow included),
 * else a message with the indices and the end of the job. */
void *XMP_Element(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);
/* (local) The same to read it, which an element of the shadow must be new enough for; and for its owner to write it. */
void *XMP_Element_read(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);
void *XMP_Element_written(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);
/* (local) The same where a node may write its shadow, too (expand, margin). */
void *XMP_Element_widened(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);

/* What the runtime would answer without anything to note, so that most elements need no call. */
typedef struct XMP_Known_dimension {
    XMP_Index first[2]; /* this node may read, and write, `count` elements from here on; cyclic: of the whole dimension */
    uint64_t count[2];
    XMP_Index stored; /* this node stores `extent` elements of the array from here on; 0 in cyclic dimensions */
    uint64_t extent;
    XMP_Index shift;              /* cyclic: position of an index - the index */
    uint64_t round, block, begin; /* cyclic: of each `round` positions those `block` from `begin` on are this node's; else 0 */
    uint64_t reciprocal;          /* 2^64 / round, rounded up; 0: there is one round */
} XMP_Known_dimension;
typedef struct XMP_Known {
    XMP_Known_dimension dimension[XMP_MAX_RANK];
    uint32_t *noted; /* for each allocated element the stamp at which it was noted last; may be NULL */
} XMP_Known;
/* Stamps grow. Elements that were noted as read from the first one on, or as written at the second, need not be noted again. */
typedef struct XMP_Stamps {
    uint32_t read, written;
} XMP_Stamps;
extern XMP_Stamps XMP_stamps;
__extension__ typedef unsigned __int128 XMP_Product;
typedef void *XMP_Element_function(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);

/* (local) View subscript of an index that this node's part of a cyclic dimension has; *mine: whether it has it. */
static __inline__ uint64_t XMP_Known_position(const XMP_Known_dimension *own, uint64_t index, int *mine) {
    const uint64_t position = index + (uint64_t)own->shift;
    const uint64_t turn = (uint64_t)((XMP_Product)position * own->reciprocal >> 64);
    const uint64_t inside = position - turn * own->round - own->begin;
    *mine = (index - (uint64_t)own->first[0] < own->count[0]) & (inside < own->block);
    return turn * own->block + inside;
}
/* (local) Whether this use of the element is noted. */
static __inline__ int XMP_Known_noted(const XMP_Array *array, int rank, unsigned cyclic, int writes, const XMP_Index *indices) {
    uint64_t offset = 0;
    uint32_t noted;
    int d, mine;
    if (array->known->noted == NULL) return 0;
    for (d = 0; d < rank; d++) {
        const XMP_Dimension *const dimension = &array->dimension[d];
        const XMP_Known_dimension *const own = &array->known->dimension[d];
        uint64_t index = (uint64_t)indices[d];
        mine = 1;
        if ((cyclic >> d & 1) != 0 && own->round != 0) index = XMP_Known_position(own, index, &mine);
        index -= (uint64_t)dimension->origin;
        if (!mine || index >= (uint64_t)dimension->length) return 0;
        offset = offset * (uint64_t)dimension->length + index;
    }
    noted = array->known->noted[offset];
    return noted == XMP_stamps.written || (!writes && noted - XMP_stamps.read < UINT32_MAX / 2);
}
/* (local) One of the functions above if this use is not noted yet. */
static __attribute__((noinline, unused)) void *XMP_Asked(XMP_Element_function *function, int writes, XMP_Place *place,
                                                         const XMP_Array *array, int rank, unsigned cyclic, void *address,
                                                         const XMP_Index *indices) {
    if (array->known != NULL && XMP_Known_noted(array, rank, cyclic, writes, indices)) return address;
    return function(place, array, indices);
}
/* (local) What is known of an array: for a copy of it and of this in front of a loop, which nothing in the loop can change. */
static __inline__ XMP_Known XMP_Known_of(const XMP_Array *array) {
    static XMP_Known nothing;
    return array->known == NULL ? nothing : *array->known;
}
/* (local) The same as XMP_Asked, which asks only where there may be something to say or to note. seen, known: the array and
 * what is known of it, or their copies. cyclic: bit d, dimension d may be cyclic. Rank, cyclic and bytes are constants, so that
 * little is left of it. */
static __inline__ __attribute__((always_inline)) void *XMP_Checked(XMP_Element_function *function, int writes, XMP_Place *place,
                                                                   const XMP_Array *array, const XMP_Array *seen,
                                                                   const XMP_Known *known, int rank, unsigned cyclic,
                                                                   size_t bytes, const XMP_Index *indices) {
    int plain = known != NULL, stored = plain && !writes && cyclic == 0 && known->noted != NULL, d;
    uint64_t offset = 0;
    void *address = NULL;
    if (plain) {
#pragma GCC unroll 7
        for (d = 0; d < rank; d++) {
            const XMP_Known_dimension *const own = &known->dimension[d];
            uint64_t view = (uint64_t)indices[d];
            plain &= view - (uint64_t)own->first[writes] < own->count[writes];
            stored &= view - (uint64_t)own->stored < own->extent;
            if ((cyclic >> d & 1) != 0 && own->round != 0) {
                int mine;
                view = XMP_Known_position(own, view, &mine);
                plain &= mine;
            }
            offset = d == 0 ? view : offset * (uint64_t)seen->dimension[d].length + view;
        }
        address = (void *)((uintptr_t)seen->origin + offset * bytes);
        if (!writes && cyclic == 0 && stored && place->fresh == XMP_stamps.read && place->array == array) {
            uint32_t own; /* instead of a branch, which would be foreseen badly where some elements are this node's own */
            *(plain ? &own : &known->noted[((uintptr_t)address - (uintptr_t)seen->base) / bytes]) = place->stamp;
            return address;
        }
    }
    if (__builtin_expect(!plain, 0)) {
        XMP_Index asked[XMP_MAX_RANK]; /* a copy, so that the indices themselves need no memory */
        for (d = 0; d < rank; d++) asked[d] = indices[d];
        return XMP_Asked(function, writes, place, array, rank, cyclic, address, asked);
    }
    return address;
}
#define XMP_LIKELY(condition) __builtin_expect(condition, 1)
/* (local) Asked in front of a loop: whether all elements between two may be used with nothing to say or to note. ends: the
 * first and the last index of each dimension. cyclic: bit d, dimension d is cyclic, and the loop does not run along it; where
 * it does, all its iterations are this node's. */
static __inline__ int XMP_Plain(const XMP_Array *array, int rank, unsigned cyclic, int writes, const XMP_Index *ends) {
    int plain = array->known != NULL, d;
    for (d = 0; plain && d < rank; d++) {
        const XMP_Known_dimension *const own = &array->known->dimension[d];
        const uint64_t begin = (uint64_t)own->first[writes], first = (uint64_t)ends[2 * d], last = (uint64_t)ends[2 * d + 1];
        plain = first - begin < own->count[writes] && last - begin < own->count[writes];
        if (plain && (cyclic >> d & 1) != 0 && own->round != 0) XMP_Known_position(own, first, &plain);
    }
    return plain;
}

/* ---- Start and stop ---- */
typedef struct XMP_Unit {
    int abi_version; /* XMP_ABI_VERSION */
    const char *file;
    void (*declare)(void); /* creates the unit's file-scope nodes, templates and arrays, in source order */
    void (*check)(void);   /* compares its extern arrays with their definitions; may be NULL */
    struct XMP_Unit *next; /* the runtime's */
} XMP_Unit;
void XMP_Register(XMP_Unit *unit);       /* (local) from a constructor of each translation unit */
void XMP_Start(int *argc, char ***argv); /* first statement of a compiled main; starts MPI if needed; stops at exit */
/* The same in a main without directives: only if a unit is registered. Weak: a program without any needs no library of ours. */
void XMP_Start_units(int *argc, char ***argv) __attribute__((weak));
void XMP_Count_nodes_from(int first);       /* (local) in messages; from 0 if the language of main does not say so */
int XMP_Owns_mpi(void);                     /* (local) whether MPI was started by XMP_Start, so that it ends with the program */
void XMP_Flush_at_end(void (*flush)(void)); /* (local) what a language has buffered, before the process may be ended */

/* xmp_get_mpi_comm and xmp_init with communicators as Fortran has them. */
int XMP_Fortran_communicator(void);
void XMP_Fortran_init(int communicator);

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

/* ---- loop (4.4.3) ---- */
/* The iterations of `for (i = first; i <= last (>= if step < 0); i += step)` whose template index i + offset this node owns.
 * (local) block, gblock, undistributed and cyclic(1): one progression. cyclic(n), only with a step of 1 or -1: `first`, `last`,
 * and `count` consecutive positions. */
typedef struct XMP_Iterations {
    XMP_Index first, last; /* first and last iteration of this node, in the loop's direction; count 0: first = last + step */
    XMP_Index step;        /* the loop's step in block dimensions; a multiple of it in cyclic ones */
    XMP_Index count;
    XMP_Index position,
        position_step; /* view subscript of `first + offset` on the template and its change for each iteration */
    XMP_Index round;   /* cyclic(n): n times the number of nodes, the distance of a node's blocks */
} XMP_Iterations;
XMP_Iterations XMP_Loop(const XMP_Site *site, const XMP_Template *target, int dimension, XMP_Index first, XMP_Index last,
                        XMP_Index step, XMP_Index offset);
/* (local) An array's origin again. Up to XMP_JOIN the nest reaches the array's elements by this pointer only, so that the C
 * compiler may keep elements of one array in registers while it writes another one. */
void *XMP_Separate(void *origin) __attribute__((malloc));
#define XMP_JOIN(rows) __asm__ volatile("" : : "r"(rows) : "memory")
/* cyclic(n): for (c = XMP_Loop_blocks(...); XMP_Loop_next(&c, &r);) for (i in r) ... view subscript = position + k *
 * position_step. */
typedef struct XMP_Blocks {
    const XMP_Template *target;
    int dimension;
    XMP_Index first, last, step, offset, next, end; /* the loop; its next iteration of this node and their number, from 0 */
    XMP_Index length, gap, room, position; /* step 1 or -1: own and other iterations by turns; what is left of this block */
} XMP_Blocks;
XMP_Blocks XMP_Loop_blocks(const XMP_Site *site, const XMP_Template *target, int dimension, XMP_Index first, XMP_Index last,
                           XMP_Index step, XMP_Index offset);
void XMP_Loop_next_block(XMP_Blocks *blocks, XMP_Iterations *iterations); /* any step; count 0: no more */
/* Copies go to the call, so that the caller's structures can live in registers. */
static __inline__ int XMP_Loop_next(XMP_Blocks *blocks, XMP_Iterations *iterations) {
    if (blocks->next >= blocks->end) return 0;
    if (blocks->length == 0) {
        XMP_Blocks after = *blocks;
        XMP_Iterations block;
        XMP_Loop_next_block(&after, &block);
        *blocks = after, *iterations = block;
        return block.count > 0;
    }
    const XMP_Index left = blocks->end - blocks->next, count = left < blocks->room ? left : blocks->room;
    iterations->first = blocks->first + blocks->next * blocks->step;
    iterations->last = iterations->first + (count - 1) * blocks->step;
    iterations->step = iterations->position_step = blocks->step;
    iterations->count = count, iterations->position = blocks->position;
    iterations->round = blocks->length + blocks->gap;
    blocks->position += count * blocks->step;
    blocks->next += count + blocks->gap;
    blocks->room = blocks->length;
    return 1;
}
/* on a node array: iteration i runs on coordinate i + offset of dimension (0-based coordinates). */
XMP_Iterations XMP_Loop_nodes(const XMP_Site *site, const XMP_Nodes *nodes, int dimension, XMP_Index first, XMP_Index last,
                              XMP_Index step, XMP_Index offset);
/* Whether this node takes part at all: the non-index subscripts of the on clause (scalar, section, `*`, `:`). Index dimensions
 * are given as XMP_ALL. Also makes the set that executes this node's iterations the executing set when push is 1. */
XMP_Task XMP_Loop_set(const XMP_Site *site, const XMP_On *on, unsigned index_dimensions /* bit d */, int push);
/* Value of the loop variable after a serial loop. (local) */
static __inline__ XMP_Index XMP_Loop_final(XMP_Index first, XMP_Index last, XMP_Index step) {
    const XMP_Index distance = step > 0 ? last - first : first - last, stride = step > 0 ? step : -step;
    return distance < 0 ? first : first + (distance / stride + 1) * step;
}

/* (local) expand: a node's own iterations (step 1 or -1) widened by lower and upper, inside first..last unless unbound. lower
 * lies on the side where the loop begins. */
static __inline__ XMP_Iterations XMP_Expand(XMP_Iterations own, XMP_Index first, XMP_Index last, XMP_Index lower,
                                            XMP_Index upper, int unbound) {
    if (own.count == 0) return own;
    const XMP_Index sign = own.step < 0 ? -1 : 1;
    const XMP_Index begin = own.first;
    own.first -= sign * lower;
    own.last += sign * upper;
    if (!unbound && sign * own.first < sign * first) own.first = first;
    if (!unbound && sign * own.last > sign * last) own.last = last;
    own.position += (own.first - begin) * sign * own.position_step;
    own.count = sign * (own.last - own.first) + 1;
    if (own.count <= 0) {
        own.count = 0;
        own.last = own.first - own.step;
    }
    return own;
}
/* (local) margin: piece 2 k and 2 k + 1 of the rim lie before and behind in loop k of the nest, inside in the loops before k;
 * this is the part of loop `loop`. Piece -1 is what no rim covers. */
static __inline__ XMP_Iterations XMP_Margin(int piece, int loop, XMP_Iterations own, XMP_Index first, XMP_Index last,
                                            XMP_Index lower, XMP_Index upper, int unbound) {
    const XMP_Iterations wide = XMP_Expand(own, first, last, lower, upper, unbound);
    const XMP_Index sign = own.step < 0 ? -1 : 1;
    XMP_Iterations inner = own, outer = own;
    if (own.count == 0) return own;
    if (wide.count == 0) {
        inner = wide;
    } else {
        if (sign * wide.first < sign * own.first)
            outer.first = wide.first;
        else
            inner.first = wide.first;
        if (sign * wide.last > sign * own.last)
            outer.last = wide.last;
        else
            inner.last = wide.last;
    }
    XMP_Iterations part = outer;
    if (piece < 0 || loop < piece / 2) {
        part = inner;
    } else if (loop == piece / 2) {
        if (inner.count == 0) { /* nothing inside: the first piece is everything */
            if (piece % 2) part.last = part.first - sign;
        } else if (piece % 2 == 0) {
            part.last = inner.first - sign;
        } else {
            part.first = inner.last + sign;
        }
    }
    part.count = sign * (part.last - part.first) + 1;
    if (part.count <= 0) {
        part.count = 0;
        part.last = part.first - part.step;
    }
    return part;
}

/* (local) For programs compiled with --check: what a loop does with the elements of an array, told once in front of it. Along
 * each dimension the subscripts are i + shift for the iterations i = first, first + step, ... to last. object NULL: every node
 * has all of them; else each node has those whose place i + offset in `dimension` it owns, of a template or, on_nodes, of a
 * node array. lower, upper, unbound: as in XMP_Expand. */
typedef struct XMP_Subscripts {
    const void *object;
    int dimension, on_nodes, unbound;
    XMP_Index first, last, step, offset, shift, lower, upper;
} XMP_Subscripts;
/* accesses: XMP_READS and XMP_WRITES ask whether this node may do that: it stores the elements, those of the shadow are not
 * older than their owners', it writes only what it owns. XMP_STORES asks the first alone. If not, a message and the end of the
 * job. Behind the loop, by all nodes: XMP_WRITTEN, the owners have written; XMP_WRITTEN_HERE, this node has, and others may
 * not know of it; XMP_FILLED, this node has written its shadow as they did. */
enum { XMP_STORES = 1, XMP_READS = 2, XMP_WRITES = 4, XMP_WRITTEN = 8, XMP_FILLED = 16, XMP_WRITTEN_HERE = 32 };
void XMP_Check_loop(const XMP_Site *site, const XMP_Array *array, int accesses, const XMP_Subscripts *subscripts);
/* (local) By all executing nodes in front of a loop: what happens from now on is later than what has happened. */
void XMP_Check_step(const XMP_Site *site);
void XMP_Check_start(void); /* before the first array: there are programs compiled with --check */
/* The user gets the address of an array: from now on its shadow may be filled by something else. Returns the array. */
XMP_Array *XMP_Check_open(XMP_Array *array);

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

/* ---- reduction (4.4.3, 4.5.4) ---- */
#define XMP_INFINITY __builtin_inf() /* identity of min, and negative of max */
enum XMP_Operator {
    XMP_SUM = 0,
    XMP_PRODUCT,
    XMP_BAND,
    XMP_BOR,
    XMP_BXOR,
    XMP_LAND,
    XMP_LOR,
    XMP_EQV,
    XMP_NEQV,
    XMP_MAX,
    XMP_MIN,
    XMP_FIRSTMAX,
    XMP_FIRSTMIN,
    XMP_LASTMAX,
    XMP_LASTMIN
};
/* The reduction clause of a loop: combines the partial results of the nodes that carry an index of the loop (dimensions with
 * `:` keep their own, decision WRK-01), then with the value before the loop. `partial` started at the identity. */
void XMP_Loop_reduction(const XMP_Site *site, const XMP_On *on, unsigned index_dimensions, int operation, int type,
                        size_t count, const void *partial, void *value);
/* firstmax ... lastmin: `iteration` is the sequential number of the iteration that set `partial` (-1: none).
 * partial_locations are this node's values, locations the user's variables. */
typedef struct XMP_Location {
    const void *partial;
    void *value;
    size_t bytes;
} XMP_Location;
void XMP_Loop_reduction_located(const XMP_Site *site, const XMP_On *on, unsigned index_dimensions, int operation, int type,
                                const void *partial, void *value, XMP_Index iteration, int locations,
                                const XMP_Location *location);
/* async: NULL, or the async-id. */
void XMP_Reduction(const XMP_Site *site, const XMP_On *on, int operation, int type, size_t count, void *value,
                   const int *async);

/* The same for sections, and for global arrays: what a node owns of it, the same on all nodes of `on`. */
void XMP_Reduction_section(const XMP_Site *site, const XMP_On *on, int operation, const XMP_Side *variable, const int *async);

/* max and min with location variables, as operation XMP_FIRSTMAX or XMP_FIRSTMIN: `followers` become what they are on the first
 * node that has the value; a section, or `bytes` at `value`. Complete on return. */
typedef struct XMP_Follower {
    const XMP_Side *section;
    void *value;
    size_t bytes;
} XMP_Follower;
void XMP_Reduction_located(const XMP_Site *site, const XMP_On *on, int operation, int type, void *value, int count,
                           const XMP_Follower *followers);

/* ---- reflect, bcast, barrier, wait_async (4.5) ---- */
enum { XMP_REFLECT_ORTHOGONAL = 1 };
/* widths NULL: the whole shadow of each; else one for each dimension, for all arrays. */
void XMP_Reflect(const XMP_Site *site, int count, XMP_Array *const *arrays, const XMP_Width *widths, int flags,
                 const int *async);
/* The other way round: adds the elements of the shadows to those that they mirror; the shadows stay as they are. */
void XMP_Reduce_shadow(const XMP_Site *site, int count, XMP_Array *const *arrays, const XMP_Width *widths, int flags,
                       const int *async);
void XMP_Bcast(const XMP_Site *site, void *value, size_t bytes, const XMP_On *from, const XMP_On *on, const int *async);
void XMP_Bcast_section(const XMP_Site *site, const XMP_Side *variable, const XMP_On *from, const XMP_On *on, const int *async);
/* (local) Memory to memory, which do not overlap: elements of up to 15 dimensions, the first the fastest. */
void XMP_Copy_elements(int rank, size_t element_bytes, const XMP_Index *extents, void *to, const XMP_Index *to_strides,
                       const void *from, const XMP_Index *from_strides);
void XMP_Barrier(const XMP_Site *site, const XMP_On *on);
void XMP_Wait_async(const XMP_Site *site, int count, const int *ids, const XMP_On *on);

/* ---- gmove (4.5.2) ---- */
/* left = right. Section k of the left side stands for section k of the right one; a right side without sections goes to every
 * element. The right side is read before anything is written. All nodes have finished when it returns, with async, too. */
void XMP_Gmove(const XMP_Site *site, const XMP_Side *left, const XMP_Side *right, const int *async);
/* One-sided: the right side (in) or the left side (out) is a global array that may lie on nodes that do not execute this. The
 * program includes coarrays.h, and synchronises with those nodes itself. */
void XMP_Gmove_in(const XMP_Site *site, const XMP_Side *left, const XMP_Side *right, const int *async);
void XMP_Gmove_out(const XMP_Site *site, const XMP_Side *left, const XMP_Side *right, const int *async);

/* ---- array functions (7.9) ---- */
/* Sides are whole arrays of any layout, global or of each node; all are read before anything is written. `subscripts` are
 * `count` sides, one for each dimension; mask NULL: all elements. */
void XMP_Transpose(const XMP_Site *site, const XMP_Side *x, const XMP_Side *a, int may_change_a);
void XMP_Matmul(const XMP_Site *site, const XMP_Side *x, const XMP_Side *a, const XMP_Side *b);
void XMP_Gather(const XMP_Site *site, const XMP_Side *x, const XMP_Side *a, int count, const XMP_Side *subscripts);
void XMP_Scatter(const XMP_Site *site, const XMP_Side *x, const XMP_Side *a, int count, const XMP_Side *subscripts);
void XMP_Pack(const XMP_Site *site, const XMP_Side *v, const XMP_Side *a, const XMP_Side *mask);
void XMP_Unpack(const XMP_Site *site, const XMP_Side *a, const XMP_Side *v, const XMP_Side *mask);
void XMP_Sort(const XMP_Site *site, const XMP_Side *v1, const XMP_Side *v2, int descending);

/* ---- master I/O (D.3), in Fortran ---- */
/* One I/O statement, which the first node of the executing set executes. Elements of global arrays pass through windows of its
 * memory: a whole array in pieces, in the order of its elements. *status is the statement's IOSTAT as it goes on. */
typedef struct XMP_Io XMP_Io;
enum XMP_Io_use {
    XMP_IO_WRITE = 0,
    XMP_IO_READ,
    XMP_IO_UPDATE, /* reads, and leaves out what the file leaves out */
    XMP_IO_COUNT   /* needs no values: INQUIRE by the length of output */
};
enum { XMP_IO_HANDLES_ERROR = 1, XMP_IO_HANDLES_END = 2, XMP_IO_HANDLES_RECORD_END = 4 };
XMP_Io *XMP_Io_begin(const XMP_Site *site, int use, int count, const XMP_Array *const *arrays, const int *status);
/* Which unit the statement is about. A unit is connected on the node that opened it: another master would write another file.
 */
enum XMP_Io_connection { XMP_IO_USES, XMP_IO_OPENS, XMP_IO_OPENS_NEW, XMP_IO_CLOSES };
void XMP_Io_unit(XMP_Io *io, int unit, int connection);
int XMP_Io_is_master(const XMP_Io *io); /* (local) */
/* Of the master alone, while it executes its statement; `array` counts from 0. */
XMP_Index XMP_Io_window(XMP_Io *io, int array); /* elements that its window needs */
void XMP_Io_use(XMP_Io *io, int array, void *window);
/* How many pieces follow, of the whole array, or of a section: first, last, step of each dimension. */
XMP_Index XMP_Io_pieces(XMP_Io *io, int array, const XMP_Index *section);
XMP_Index XMP_Io_next(XMP_Io *io, int array); /* the next one is in the window, or goes there: its elements */
/* An element: its place in the window, from 0. expect: the next ones are those of a section, in its order, with other items
 * between them. */
void XMP_Io_expect(XMP_Io *io, int array, const XMP_Index *section);
XMP_Index XMP_Io_element(XMP_Io *io, int array, const XMP_Index *subscripts);
/* A variable that an input statement reads gets the master's value; one that the statement sets besides. */
void XMP_Io_item(XMP_Io *io, void *value, size_t bytes);
void XMP_Io_output(XMP_Io *io, void *value, size_t bytes);
/* The status, the same on all nodes, and the master's message, if it is not 0. handled: which failures the program looks after
 * itself; others end the job. */
int XMP_Io_end(XMP_Io *io, int handled, char *message, size_t message_bytes);

/* ---- global I/O of Fortran (appendix D.4) ---- */
/* Files of unit numbers, as open, read, write and close with the directive global_io have them: raw elements, no record marks.
 * collective: all calls are of all nodes of the file; atomic, direct: reads and writes are of one node (local), in one piece.
 * iostat: becomes 0, -1 at the end of the file, or positive after an error, which ends the program where it is NULL. In
 * collective calls it is the same on all nodes. */
enum { XMP_GLOBAL_COLLECTIVE, XMP_GLOBAL_ATOMIC, XMP_GLOBAL_DIRECT };
typedef struct XMP_Opening { /* texts as in Fortran, "" where the statement has none; recl in bytes, 0: none */
    int access, unit;
    const char *file, *status, *position, *action, *method, *form; /* method: Fortran's access= */
    XMP_Index recl;
} XMP_Opening;
void XMP_Global_open(const XMP_Site *site, const XMP_Opening *opening, int *iostat);
void XMP_Global_close(const XMP_Site *site, int access, int unit, const char *status, int *iostat);
/* Items one after the other: whole global arrays (collective only) and memory of this node. rec: of direct, from 1. */
void XMP_Global_read(const XMP_Site *site, int access, int unit, XMP_Index rec, int count, const XMP_Side *items, int *iostat);
void XMP_Global_write(const XMP_Site *site, int access, int unit, XMP_Index rec, int count, const XMP_Side *items, int *iostat);
/* What any node wrote before is on the storage device, and visible to all. */
void XMP_Global_sync(const XMP_Site *site, int unit);

#ifdef __cplusplus
}
#endif

#endif
