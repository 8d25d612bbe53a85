/* The library of the XcalableMP specification (chapter 7, appendices A and B), as users call it.
 * Included by xmpcc before every source file's first line that needs it; found as <xmp.h> through xmpcc's include path
 * and as <kumihimo/xmp.h> by other programs (Debian's libxmp-dev owns xmp.h). */
#ifndef KUMIHIMO_XMP_H
#define KUMIHIMO_XMP_H

#ifdef __GNUC__
#pragma GCC system_header /* pedantic warnings are for the program's own text, in any dialect */
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define _XMP 201811

typedef void *xmp_desc_t; /* of a node array, a template or a global array: xmp_desc_of(name) */

/* ---- System inquiry (specification 7.2) ----
 * xmp_ functions number nodes from 1, xmpc_ functions and images from 0.
 * Local. Errors: none. */

/* This node's number in the entire set, from 1. */
int xmp_all_node_num(void);
/* This node's number in the entire set, from 0. */
int xmpc_all_node_num(void);
/* Number of nodes in the entire set: all that the program was started on. */
int xmp_all_num_nodes(void);
/* This node's number in the executing set, from 1: inside a task the nodes of the task count. */
int xmp_node_num(void);
/* This node's number in the executing set, from 0. */
int xmpc_node_num(void);
/* This image's index, from 0: the number of xmpc_node_num. */
int xmpc_this_image(void);
/* Number of nodes in the executing set. */
int xmp_num_nodes(void);
/* Number of images: the number of xmp_num_nodes. */
int xmp_num_images(void);
/* Time in seconds since some moment in the past, on this node's clock. */
double xmp_wtime(void);
/* Resolution of xmp_wtime in seconds. */
double xmp_wtick(void);

/* ---- Execution control (specification 7.3) ---- */

/* Ends the program on this node with an exit status; does not return. All nodes call it; a status other than 0 on one node
 * ends the job.
 * Collective over the entire set. Errors: none. */
void xmp_exit(int status) __attribute__((noreturn));

/* ---- Image control of coarrays (specification 5.7.3) ----
 * Images count from 0 in the executing set, or in the node array of an `image` directive just before. Each function completes
 * what this image has put to others. status, which may be NULL, gets one of the values XMP_STAT_...
 * Errors: an image that has ended is XMP_STAT_STOPPED_IMAGE in status; without a status it ends the job with a message, as an
 * image index that does not exist does in any case. */
enum {
    XMP_STAT_SUCCESS = 0,
    XMP_STAT_LOCKED = 1,
    XMP_STAT_UNLOCKED = 2,
    XMP_STAT_LOCKED_OTHER_IMAGE = 3,
    XMP_STAT_STOPPED_IMAGE = 4
};
/* Waits until all images have come here.
 * Collective over the images. */
void xmp_sync_all(int *status);
/* Completes this image's puts and waits for nobody; needed in loops that wait for a value.
 * Local. */
void xmp_sync_memory(int *status);
/* Waits until image `image` has called it, or xmp_sync_images, with this image as often as this one with it.
 * Collective over the two images. */
void xmp_sync_image(int image, int *status);
/* The same for the `count` different images of the list `images`; each pair is counted by itself.
 * Collective over each pair of images. */
void xmp_sync_images(int count, int *images, int *status);
/* The same for each of all images.
 * Collective over each pair of images. */
void xmp_sync_images_all(int *status);
#define xmpc_sync_all xmp_sync_all /* names of older programs */
#define _xmpc_sync_all() xmp_sync_all(NULL)

/* Allocates a coarray of `bytes` on each of the executing images, zero-filled, for a coarray pointer, `double (*y)[10]:[][]`.
 * One int for each of its codimensions but the last follows: their sizes. xmpcc writes the call. Collective over the executing
 * images, which it synchronises. */
void *xmp_comalloc(size_t bytes, ... /* int coextent0, ... */);
/* Frees what xmp_comalloc allocated; nothing to do for NULL.
 * Collective over the images that allocated it, which it synchronises first. */
void xmp_cofree(void *coarray);

typedef struct xmp_lock_t { /* a coarray of it is a lock on each image: directives lock and unlock (5.8.4) */
    long long owner;
} xmp_lock_t;

/* ---- Image indices (specification 5.5) ----
 * Image indices of a node array as those of other sets; all count from 0. nodes NULL: the executing set.
 * Local. Errors: an index that the node array does not have ends the job with a message. */

/* Translates the `number` indices of `index` to those of the entire set. */
void xmp_get_primary_image_index(int number, const int index[], int primary_index[], xmp_desc_t nodes);
/* Translates the `number` indices of `index` to those of the executing set; -1: it is no image of that set. */
void xmp_get_image_index(int number, const int index[], int current_index[], xmp_desc_t nodes);

/* ---- Synchronisation (specification 7.4) ---- */

/* Whether the communication of this async-id is complete: 1 or 0; 1 for an unknown id. After 0, ask again or wait_async.
 * Local. Errors: none. */
int xmp_test_async(int async_id);

/* ---- Memory of global arrays (specification 7.5) ----
 * Collective over the executing nodes.
 * Errors: a template that is not fixed, sizes that do not fit it, an array that has memory already, and too little memory end
 * the job with a message. */

/* Allocates a global array that is declared as a pointer, and returns this node's part, to be assigned to that pointer. One
 * size_t for each dimension follows: the extent of the whole array, in elements. NULL on nodes outside its node array. */
void *xmp_malloc(xmp_desc_t d, ... /* size_t size0, size1, ... */);
/* Frees what xmp_malloc allocated; nothing to do for an array without memory. */
void xmp_free(xmp_desc_t d);

/* ---- Mapping inquiry (specification 7.6) ----
 * Each returns 0 and stores its answer, or returns a negative number and stores nothing. `dim` counts from 1: in Fortran's
 * order for node arrays and templates (1 is the rightmost bracket), as written for global arrays.
 * Local. Errors: -1 for a descriptor of another kind, a dimension that there is not, and a question without an answer. */

/* xmp_dist_format; the numbers are those of Omni, which programs have been seen to compare with. */
enum { XMP_NOT_DISTRIBUTED = 2100, XMP_BLOCK = 2101, XMP_CYCLIC = 2102, XMP_GBLOCK = 2103 };
enum { XMP_ENTIRE_NODES = 1, XMP_EXECUTING_NODES = 2, XMP_EQUIVALENCE_NODES = 3 }; /* xmp_nodes_attr */

/* Number of dimensions of a node array. */
int xmp_nodes_ndims(xmp_desc_t d, int *ndims);
/* This node's coordinate in a node array, from 1. No answer on nodes outside it. */
int xmp_nodes_index(xmp_desc_t d, int dim, int *index);
/* This node's coordinate in a node array, from 0. No answer on nodes outside it. */
int xmpc_nodes_index(xmp_desc_t d, int dim, int *index);
/* Size of one dimension of a node array. */
int xmp_nodes_size(xmp_desc_t d, int dim, int *size);
/* What a node array stands for: XMP_ENTIRE_NODES, XMP_EXECUTING_NODES or XMP_EQUIVALENCE_NODES (part of another). */
int xmp_nodes_attr(xmp_desc_t d, int *attr);
/* For a node array that is part of another, `nodes q[2] = p[0:2]`: the other one, and lower bound, upper bound and step of the
 * part in each of its dimensions, from 1, in Fortran's order. The arrays have an element for each dimension. */
int xmp_nodes_equiv(xmp_desc_t d, xmp_desc_t *dn, int lb[], int ub[], int st[]);

/* Whether a template has its bounds: 1 or 0 (`:` without template_fix so far). */
int xmp_template_fixed(xmp_desc_t d, int *fixed);
/* Number of dimensions of a template. */
int xmp_template_ndims(xmp_desc_t d, int *ndims);
/* Lower bound of one dimension of a template. No answer before template_fix. */
int xmp_template_lbound(xmp_desc_t d, int dim, int *lbound);
/* Upper bound of one dimension of a template, which belongs to it. No answer before template_fix. */
int xmp_template_ubound(xmp_desc_t d, int dim, int *ubound);

/* How one dimension of a template is distributed: XMP_NOT_DISTRIBUTED, XMP_BLOCK, XMP_CYCLIC or XMP_GBLOCK. */
int xmp_dist_format(xmp_desc_t d, int dim, int *format);
/* Block length of one dimension of a template, in template elements. No answer for gblock and before template_fix. */
int xmp_dist_blocksize(xmp_desc_t d, int dim, int *blocksize);
/* The block lengths of a gblock dimension, one for each node of its node dimension. */
int xmp_dist_gblockmap(xmp_desc_t d, int dim, int map[]);
/* The node array that a template is distributed onto. */
int xmp_dist_nodes(xmp_desc_t d, xmp_desc_t *dn);
/* The dimension of the node array that one dimension of a template is distributed onto, from 1. */
int xmp_dist_axis(xmp_desc_t d, int dim, int *axis);

/* The dimension of the template that one dimension of an array is aligned with, from 1. No answer where it is `*`. */
int xmp_align_axis(xmp_desc_t d, int dim, int *axis);
/* The offset of that alignment, in template elements: 1 for `align a[i] with t[i + 1]`. */
int xmp_align_offset(xmp_desc_t d, int dim, int *offset);
/* Whether the array is replicated along dimension `dim` of its template: 1 or 0. */
int xmp_align_replicated(xmp_desc_t d, int dim, int *replicated);
/* The template that an array is aligned with. */
int xmp_align_template(xmp_desc_t d, xmp_desc_t *dt);

/* Number of dimensions of a global array. */
int xmp_array_ndims(xmp_desc_t d, int *ndims);
/* Width of the shadow below this node's part, in elements. */
int xmp_array_lshadow(xmp_desc_t d, int dim, int *lshadow);
/* Width of the shadow above this node's part, in elements. */
int xmp_array_ushadow(xmp_desc_t d, int dim, int *ushadow);
/* Lower bound of one dimension of the whole array: 0 in C. No answer before xmp_malloc. */
int xmp_array_lbound(xmp_desc_t d, int dim, int *lbound);
/* Upper bound of one dimension of the whole array, which belongs to it. No answer before xmp_malloc. */
int xmp_array_ubound(xmp_desc_t d, int dim, int *ubound);

/* ---- Array functions (specification 7.9) ----
 * Arguments are whole arrays of any layout. xmpcc takes them as the specification writes them, xmp_sort_up(v[:], w[:]), also
 * by name, and local arrays, too; other compilers take descriptors. All arguments are read before a result is written.
 * Collective over the executing nodes, which must have all of the arguments.
 * Errors: shapes or element types that do not fit each other end the job with a message that names the arrays. */

/* x = the transpose of a. Both are matrices; any element type. opt: 0, or 1 if a need not keep its values (it does). */
void xmp_transpose(xmp_desc_t x, xmp_desc_t a, int opt);
/* x = a times b. All are matrices of one type of number. Where the program links a BLAS, its sgemm, dgemm, cgemm or zgemm
 * multiplies; otherwise, and for other types, a kernel of the library's own. */
void xmp_matmul(xmp_desc_t x, xmp_desc_t a, xmp_desc_t b);
/* x(...) = a(subscripts(...)): one array of integers for each dimension of a, the first dimension first, all shaped as x. */
void xmp_gather(xmp_desc_t x, xmp_desc_t a, ... /* xmp_desc_t idx1, idx2, ... */);
/* x(subscripts(...)) = a(...): one array of integers for each dimension of x, all shaped as a. Of two values for one element of
 * x either may win. */
void xmp_scatter(xmp_desc_t x, xmp_desc_t a, ... /* xmp_desc_t idx1, idx2, ... */);
/* The elements of a where mask is not 0, in element order, become the first ones of the vector v; the others of v stay. mask
 * NULL (xmpcc: or none): all elements. The mask is shaped as a: _Bool or integers. */
void xmp_pack(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask);
/* The first elements of the vector v become those of a where mask is not 0, in element order; the others of a stay. */
void xmp_unpack(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask);
/* v1 = the elements of v2 in ascending order. Vectors of integers or real numbers; NaN comes last. */
void xmp_sort_up(xmp_desc_t v1, xmp_desc_t v2);
/* v1 = the elements of v2 in descending order. NaN comes last. */
void xmp_sort_down(xmp_desc_t v1, xmp_desc_t v2);

/* ---- For interfaces to other libraries (specification, appendix B) ----
 * Each returns 0 and stores its answer, or returns a negative number and stores nothing. `dim` counts from 1, as written.
 * Local. Errors: -1 for what is no global array, a dimension that there is not, and an array without memory. */

/* Position of global index g_idx along one dimension of this node's block, from 0, the shadow included. */
int xmp_array_gtol(xmp_desc_t d, int dim, int g_idx, int *l_idx);
/* Number of elements that this node owns along one dimension, without the shadow. */
int xmp_array_lsize(xmp_desc_t d, int dim, int *lsize);
/* Address of this node's block: its first element, the shadow included. NULL where there is no block. */
int xmp_array_laddr(xmp_desc_t d, void **laddr);
/* Leading dimension of a two-dimensional array, in elements: from one row of this node's block to the next (Fortran: column).
 */
int xmp_array_lda(xmp_desc_t d, int *lda);
/* Allocated elements of each dimension of this node's block, shadow included; `size` has an element for each dimension. */
int xmp_array_lead_dim(xmp_desc_t d, int size[]);

/* ---- Functions of Omni XcalableMP ----
 * The specification does not have them; they do what they do in Omni. Those that return a number return a negative one where
 * there is no answer: for a descriptor of another kind, a dimension that there is not, and an array without memory.
 * Local. Errors: none, where nothing else is said. */

/* Waits until all executing nodes have come here: the directive `barrier`.
 * Collective over the executing set. */
void xmp_barrier(void);
enum { XMP_DESC_NODES = 2200, XMP_DESC_TEMPLATE = 2201, XMP_DESC_ARRAY = 2202 };
/* What a descriptor is of: XMP_DESC_NODES, XMP_DESC_TEMPLATE or XMP_DESC_ARRAY. */
int xmp_desc_kind(xmp_desc_t d, int *kind);
/* This node's number in a node array, from 1. No answer on nodes outside it. */
int xmp_nodes_rank(xmp_desc_t d, int *rank);
/* Returns the size of one dimension of a template; `dim` counts from 1 in Fortran's order. */
int xmp_template_gsize(xmp_desc_t d, int dim);
/* Returns how many indices of one dimension of a template this node owns. */
int xmp_template_lsize(xmp_desc_t d, int dim);
/* Returns the bytes of an element of an array; 0 for what is no array. */
size_t xmp_array_type_size(xmp_desc_t d);
/* Returns the size of one dimension of the whole array; `dim` counts from 1, as written. */
int xmp_array_gsize(xmp_desc_t d, int dim);
/* First index that this node owns along one dimension of an array. No answer where it owns none. */
int xmp_array_lbound_global(xmp_desc_t d, int dim, int *index);
/* Last index that this node owns along one dimension of an array. No answer where it owns none. */
int xmp_array_ubound_global(xmp_desc_t d, int dim, int *index);
/* The part of `for (i = global_start; i < global_end; i += step)` (`>` for a negative step) that this node owns, as positions
 * in its part of the template: from *local_start to before *local_end. Both are 0 where it owns none. `dim` counts from 0 in
 * Fortran's order.
 * Errors: a dimension that there is not, a template that is not fixed and a step of 0 end the job with a message. */
void xmp_sched_template_index(int *local_start, int *local_end, int global_start, int global_end, int step, xmp_desc_t t,
                              int dim);

/* ---- MPI (specification, appendix A) ---- */

/* After it MPI is usable in a program with directives, where the runtime has begun MPI before main: nothing is left to do.
 * Collective over the entire set. Errors: none. */
void xmp_init_mpi(int *argc, char ***argv);
/* Its counterpart; the runtime ends MPI when the program ends.
 * Collective over the entire set. Errors: none. */
void xmp_finalize_mpi(void);
/* Ends what xmp_init began; MPI goes on.
 * Collective over the entire set. Errors: none. */
void xmp_finalize(void);

#ifdef __cplusplus
}
#endif

#endif

/* Generated code defines KUMIHIMO_WITHOUT_MPI around its own inclusion, so that programs which do not include this header
 * themselves need not read mpi.h. */
/* ---- MPI with its types (specification, appendix A) ---- */
#if !defined(KUMIHIMO_XMP_MPI_H) && !defined(KUMIHIMO_WITHOUT_MPI)
#define KUMIHIMO_XMP_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The communicator of the executing set, which belongs to the runtime: do not free it.
 * Local. Errors: inside a task with nocomm it ends the job with a message. */
MPI_Comm xmp_get_mpi_comm(void);
/* Starts XcalableMP in an MPI program; the ranks of comm become the entire set. Before MPI_Init it begins MPI, too, which the
 * runtime then ends with the program. Where XcalableMP runs on the same nodes from the beginning, nothing is left to do.
 * Collective over comm. Errors: a second xmp_init without xmp_finalize ends the job with a message. */
void xmp_init(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif

/* ---- Programs that plain gcc compiles, without their directives ---- */
#if defined(KUMIHIMO_SERIAL) && !defined(KUMIHIMO_WITHOUT_MPI)
#include "kumihimo/serial.h"
#endif
