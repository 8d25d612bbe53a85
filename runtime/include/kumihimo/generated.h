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

#include "kumihimo/generated/checks.h"
#include "kumihimo/generated/fortran_io.h"
#include "kumihimo/generated/loops.h"
#include "kumihimo/generated/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
