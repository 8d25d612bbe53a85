/* Global I/O of XcalableMP C (specification, appendix D.5): one binary file shared by the executing node set.
 *
 * Functions that end in _all are collective over the node set that opened the file, and are called with the same arguments
 * on all of its nodes; the others act on this node only. The file holds elements in the order of the global array
 * (row-major for C arrays), without shadows, headers or padding: MPI-IO programs and serial ones read and write the same file.
 *
 * Errors: nothing aborts. A collective function that fails on one node fails on all, with the same return value; one line
 * on stderr says what failed, where and on which node (KUMIHIMO_IO_MESSAGES=0 silences it), and xmp_io_error() returns it
 * on every node. */
#ifndef KUMIHIMO_XMP_IO_H
#define KUMIHIMO_XMP_IO_H

#include <stddef.h>
#include <stdio.h> /* SEEK_SET, SEEK_CUR, SEEK_END */
#include <sys/types.h>

#include "kumihimo/xmp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xmp_file xmp_file_t;
typedef struct xmp_range xmp_range_t;
typedef xmp_desc_t xmp_array_t; /* xmp_array_of(a) is xmp_desc_of(a) */

/* ---- Array sections ---- */
/* A section of an array of rank n_dim; at first it is the whole array. NULL: no memory, or n_dim outside 1 to 7. */
xmp_range_t *xmp_allocate_range(int n_dim);
/* Dimension i_dim (1 = leftmost as written): the `length` elements lb, lb + step, ... in global indices. step may be
 * negative (the file then holds them in descending order); length counts elements and may be 0. */
void xmp_set_range(xmp_range_t *rp, int i_dim, long long lb, long long length, long long step);
void xmp_free_range(xmp_range_t *rp);

/* ---- Files ---- */
/* amode: r, r+, w, w+, a, a+ as in fopen ("b" is ignored). NULL on every node if it fails on any. */
xmp_file_t *xmp_fopen_all(const char *fname, const char *amode);
/* 0; 1: fh is NULL; 2: the file system reported an error. */
int xmp_fclose_all(xmp_file_t *fh);
/* Position of this node's pointer: bytes, relative to the file view where one is set. 0, else negative. */
int xmp_fseek(xmp_file_t *fh, long long offset, int whence);
/* Absolute position in bytes of this node's pointer, also under a view; negative on an error. */
long long xmp_ftell(xmp_file_t *fh);
/* The pointer that all nodes share. Both names are collective (MPI_File_seek_shared is). */
int xmp_fseek_shared_all(xmp_file_t *fh, long long offset, int whence);
int xmp_fseek_shared(xmp_file_t *fh, long long offset, int whence);
long long xmp_ftell_shared(xmp_file_t *fh);
/* After it, what any node wrote before is on the storage device and visible to all nodes. */
int xmp_file_sync_all(xmp_file_t *fh);

/* ---- Collective I/O ---- */
/* Whole array (rp NULL) or section at the current position, which is the same on all nodes and advances by the bytes of the
 * section. Returns the bytes of this node's part (0 is possible), 0 on all nodes at end of file, negative on all nodes on an
 * error; a file that ends inside the section is an error. Where a view is set, each node's part goes through it. */
ssize_t xmp_fread_darray_all(xmp_file_t *fh, xmp_desc_t desc, xmp_range_t *rp);
ssize_t xmp_fwrite_darray_all(xmp_file_t *fh, xmp_desc_t desc, xmp_range_t *rp);
/* Local data. read: without a view every node gets the same bytes, from the current position, which must agree; at the end of
 * the file fewer bytes than asked. write: every node writes through its own view. Both advance by the bytes moved. */
ssize_t xmp_fread_all(xmp_file_t *fh, void *buffer, size_t size, size_t count);
ssize_t xmp_fwrite_all(xmp_file_t *fh, const void *buffer, size_t size, size_t count);
/* Each node sees, from byte disp on, only the elements of the section that it owns. Pointers go to 0. */
int xmp_file_set_view_all(xmp_file_t *fh, long long disp, xmp_desc_t desc, xmp_range_t *rp);
/* Back to bytes; the pointers go to byte disp. */
int xmp_file_clear_view_all(xmp_file_t *fh, long long disp);

/* ---- Atomic I/O (shared pointer; no view may be set) and direct I/O (this node's pointer) ---- */
ssize_t xmp_fread_shared(xmp_file_t *fh, void *buffer, size_t size, size_t count);
ssize_t xmp_fwrite_shared(xmp_file_t *fh, const void *buffer, size_t size, size_t count);
ssize_t xmp_fread(xmp_file_t *fh, void *buffer, size_t size, size_t count);
ssize_t xmp_fwrite(xmp_file_t *fh, const void *buffer, size_t size, size_t count);

/* ---- Kumihimo's addition ---- */
/* The message of the last XMP-IO or xmpnc call that failed on this node; "" if none did. Valid until the next one fails. */
const char *xmp_io_error(void);

#ifdef __cplusplus
}
#endif

#endif
