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

/* ---- System inquiry (7.2). xmp_ functions number nodes from 1, xmpc_ functions from 0. ---- */
int xmp_all_node_num(void); /* this node in the entire set */
int xmpc_all_node_num(void);
int xmp_all_num_nodes(void);
int xmp_node_num(void); /* this node in the executing set */
int xmpc_node_num(void);
int xmpc_this_image(void);
int xmp_num_nodes(void); /* size of the executing set */
int xmp_num_images(void);
double xmp_wtime(void); /* seconds since some moment in the past */
double xmp_wtick(void); /* resolution of xmp_wtime in seconds */

/* ---- Execution control (7.3): all nodes call it ---- */
void xmp_exit(int status) __attribute__((noreturn));

/* ---- Image control of coarrays (5.7.3). Images count from 0 in the executing set, or in the node array of an `image`
 * directive just before. Each completes what this image has put to others. status may be NULL: then an image that has ended
 * ends the job; else it is one of these values. ---- */
enum {
    XMP_STAT_SUCCESS = 0,
    XMP_STAT_LOCKED = 1,
    XMP_STAT_UNLOCKED = 2,
    XMP_STAT_LOCKED_OTHER_IMAGE = 3,
    XMP_STAT_STOPPED_IMAGE = 4
};
void xmp_sync_all(int *status);                            /* waits for all images */
void xmp_sync_memory(int *status);                         /* waits for nobody */
void xmp_sync_image(int image, int *status);               /* waits for one image to do the same with this one */
void xmp_sync_images(int count, int *images, int *status); /* for some; each pair is counted by itself */
void xmp_sync_images_all(int *status);                     /* for each of all */
#define xmpc_sync_all xmp_sync_all                         /* names of older programs */
#define _xmpc_sync_all() xmp_sync_all(NULL)

typedef struct xmp_lock_t { /* a coarray of it is a lock on each image: directives lock and unlock (5.8.4) */
    long long owner;
} xmp_lock_t;

/* ---- Image indices of a node array as those of the entire set and of the executing set (5.5); all count from 0, -1: it is no
 * image of the executing set. nodes NULL: the executing set. ---- */
void xmp_get_primary_image_index(int number, const int index[], int primary_index[], xmp_desc_t nodes);
void xmp_get_image_index(int number, const int index[], int current_index[], xmp_desc_t nodes);

/* ---- Synchronisation (7.4): 1 if the communication of this async-id is complete, 0 if not; 1 for an unknown id ---- */
int xmp_test_async(int async_id);

/* ---- Memory (7.5): collective over the executing nodes ---- */
void *xmp_malloc(xmp_desc_t d, ... /* size_t size0, size1, ...: one for each dimension, in elements of the whole array */);
void xmp_free(xmp_desc_t d);

/* ---- Mapping inquiry (7.6): 0, or a negative number on failure. `dim` counts from 1: in Fortran's order for node arrays and
 * templates (1 is the rightmost bracket), as written for global arrays. ---- */
/* xmp_dist_format; the numbers are those of Omni, which programs have been seen to compare with. */
enum { XMP_NOT_DISTRIBUTED = 2100, XMP_BLOCK = 2101, XMP_CYCLIC = 2102, XMP_GBLOCK = 2103 };
enum { XMP_ENTIRE_NODES = 1, XMP_EXECUTING_NODES = 2, XMP_EQUIVALENCE_NODES = 3 }; /* xmp_nodes_attr */

int xmp_nodes_ndims(xmp_desc_t d, int *ndims);
int xmp_nodes_index(xmp_desc_t d, int dim, int *index);  /* this node's coordinate, from 1 */
int xmpc_nodes_index(xmp_desc_t d, int dim, int *index); /* from 0 */
int xmp_nodes_size(xmp_desc_t d, int dim, int *size);
int xmp_nodes_attr(xmp_desc_t d, int *attr);
int xmp_nodes_equiv(xmp_desc_t d, xmp_desc_t *dn, int lb[], int ub[], int st[]);

int xmp_template_fixed(xmp_desc_t d, int *fixed);
int xmp_template_ndims(xmp_desc_t d, int *ndims);
int xmp_template_lbound(xmp_desc_t d, int dim, int *lbound);
int xmp_template_ubound(xmp_desc_t d, int dim, int *ubound);

int xmp_dist_format(xmp_desc_t d, int dim, int *format);
int xmp_dist_blocksize(xmp_desc_t d, int dim, int *blocksize);
int xmp_dist_gblockmap(xmp_desc_t d, int dim, int map[]);
int xmp_dist_nodes(xmp_desc_t d, xmp_desc_t *dn);
int xmp_dist_axis(xmp_desc_t d, int dim, int *axis);

int xmp_align_axis(xmp_desc_t d, int dim, int *axis);
int xmp_align_offset(xmp_desc_t d, int dim, int *offset);
int xmp_align_replicated(xmp_desc_t d, int dim, int *replicated);
int xmp_align_template(xmp_desc_t d, xmp_desc_t *dt);

int xmp_array_ndims(xmp_desc_t d, int *ndims);
int xmp_array_lshadow(xmp_desc_t d, int dim, int *lshadow);
int xmp_array_ushadow(xmp_desc_t d, int dim, int *ushadow);
int xmp_array_lbound(xmp_desc_t d, int dim, int *lbound);
int xmp_array_ubound(xmp_desc_t d, int dim, int *ubound);

/* ---- For interfaces to other libraries (appendix B) ---- */
int xmp_array_gtol(xmp_desc_t d, int dim, int g_idx, int *l_idx); /* position in the local block, from 0, shadow included */
int xmp_array_lsize(xmp_desc_t d, int dim, int *lsize);           /* owned elements, without the shadow */
int xmp_array_laddr(xmp_desc_t d, void **laddr);                  /* start of the local block, shadow included */
int xmp_array_lda(xmp_desc_t d, int *lda);                        /* leading dimension of a two-dimensional array */
int xmp_array_lead_dim(xmp_desc_t d, int size[]);                 /* allocated size of every dimension */

/* ---- MPI (appendix A) that needs no MPI types ---- */
void xmp_init_mpi(int *argc,
                  char ***argv); /* MPI is usable after this in an XMP program; nothing to do under a compiled main */
void xmp_finalize_mpi(void);
void xmp_finalize(void); /* ends what xmp_init began */

#ifdef __cplusplus
}
#endif

#endif

/* ---- MPI (appendix A) with MPI types. Generated code defines KUMIHIMO_WITHOUT_MPI around its own inclusion, so that programs
 * which do not include this header themselves need not read mpi.h. ---- */
#if !defined(KUMIHIMO_XMP_MPI_H) && !defined(KUMIHIMO_WITHOUT_MPI)
#define KUMIHIMO_XMP_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

MPI_Comm xmp_get_mpi_comm(void); /* of the executing set */
void xmp_init(MPI_Comm comm);    /* starts XcalableMP in an MPI program; comm becomes the entire set */

#ifdef __cplusplus
}
#endif

#endif
