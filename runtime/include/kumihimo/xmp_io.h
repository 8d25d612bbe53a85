/* Global I/O of XcalableMP C (specification, appendix D.5): one binary file shared by the executing node set.
 *
 * Functions that end in _all are collective over the node set that opened the file, and are called with the same arguments
 * on all of its nodes; the others act on this node only. The file holds elements in the order of the global array
 * (row-major for C arrays), without shadows, headers or padding: MPI-IO programs and serial ones read and write the same file.
 *
 * Nothing aborts. A collective function that fails on one node fails on all, with the same return value; one line on stderr
 * says what failed, where and on which node (KUMIHIMO_XMPIO_MESSAGES=0 silences it), and xmp_io_error() returns it on every
 * node.
 */
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

/* ---- Array sections ----
 * Local. */

/* A section of an array with n_dim dimensions; at first it is the whole array. xmp_free_range frees it.
 * Errors: NULL where there is no memory, or n_dim is not 1 to 7. */
xmp_range_t *xmp_allocate_range(int n_dim);
/* Dimension i_dim (1 = leftmost as written): the `length` elements lb, lb + step, ... in global indices. step may be
 * negative (the file then holds them in descending order); length counts elements and may be 0.
 * Errors: a wrong dimension, a negative length and step 0 are told, and every use of the section fails. */
void xmp_set_range(xmp_range_t *rp, int i_dim, long long lb, long long length, long long step);
/* Frees a section; NULL is allowed.
 * Errors: none. */
void xmp_free_range(xmp_range_t *rp);

/* ---- Files ---- */

/* Opens a file. amode: r, r+, w, w+, a, a+ as in fopen ("b" is ignored).
 * Collective over the executing set. Errors: NULL on every node if it fails on any. */
xmp_file_t *xmp_fopen_all(const char *fname, const char *amode);
/* Closes a file and frees fh, whatever it returns; 0 on success.
 * Collective over the nodes of the file. Errors: 1: fh is NULL; 2: the file system reported an error; -1: any other. */
int xmp_fclose_all(xmp_file_t *fh);
/* Sets the position of this node's pointer: offset bytes from whence, relative to the file view where one is set. 0 on success.
 * Local. Errors: negative for a position before the file and an unknown whence. */
int xmp_fseek(xmp_file_t *fh, long long offset, int whence);
/* Absolute position in bytes of this node's pointer, also under a view.
 * Local. Errors: negative. */
long long xmp_ftell(xmp_file_t *fh);
/* Sets the pointer that all nodes share, in bytes. 0 on success. Both names are collective (MPI_File_seek_shared is).
 * Collective over the nodes of the file. Errors: negative on all nodes, also while a view is set. */
int xmp_fseek_shared_all(xmp_file_t *fh, long long offset, int whence);
int xmp_fseek_shared(xmp_file_t *fh, long long offset, int whence);
/* Position in bytes of the pointer that all nodes share.
 * Local. Errors: negative. */
long long xmp_ftell_shared(xmp_file_t *fh);
/* After it, what any node wrote before is on the storage device and visible to all nodes. 0 on success.
 * Collective over the nodes of the file. Errors: negative on all nodes. */
int xmp_file_sync_all(xmp_file_t *fh);

/* ---- Collective transfers ----
 * Each returns a number of bytes, and advances this node's pointer.
 * Collective over the nodes of the file. Errors: negative on all nodes. */

/* Reads a whole array (rp NULL) or a section from the current position, which is the same on all nodes and advances by the
 * bytes of the section. Returns the bytes of this node's part (0 is possible), and 0 on all nodes at end of file. Where a view
 * is set, each node's part goes through it. A file that ends inside the section is an error. */
ssize_t xmp_fread_darray_all(xmp_file_t *fh, xmp_desc_t desc, xmp_range_t *rp);
/* Writes a whole array (rp NULL) or a section at the current position, in the same way. */
ssize_t xmp_fwrite_darray_all(xmp_file_t *fh, xmp_desc_t desc, xmp_range_t *rp);
/* Reads `count` elements of `size` bytes of local data. Without a view every node gets the same bytes, from the current
 * position, which must agree; at the end of the file fewer bytes than asked. */
ssize_t xmp_fread_all(xmp_file_t *fh, void *buffer, size_t size, size_t count);
/* Writes `count` elements of `size` bytes of local data: every node through its own view. */
ssize_t xmp_fwrite_all(xmp_file_t *fh, const void *buffer, size_t size, size_t count);

/* ---- File views ----
 * Collective over the nodes of the file. Errors: negative on all nodes. */

/* Each node sees, from byte disp on, only the elements of the section (rp NULL: of the array) that it owns. Pointers go to 0.
 * 0 on success. */
int xmp_file_set_view_all(xmp_file_t *fh, long long disp, xmp_desc_t desc, xmp_range_t *rp);
int xmp_file_set_view(xmp_file_t *fh, long long disp, xmp_desc_t desc, xmp_range_t *rp); /* its older name */
/* Back to bytes; the pointers go to byte disp. 0 on success. */
int xmp_file_clear_view_all(xmp_file_t *fh, long long disp);

/* ---- Transfers of one node ----
 * `count` elements of `size` bytes; each returns the bytes moved, fewer than asked at the end of the file.
 * Local. Errors: negative. */

/* Reads at the pointer that all nodes share, and advances it in the same step. No view may be set. */
ssize_t xmp_fread_shared(xmp_file_t *fh, void *buffer, size_t size, size_t count);
/* Writes at the pointer that all nodes share, in the same way: other nodes' data never stands in between. */
ssize_t xmp_fwrite_shared(xmp_file_t *fh, const void *buffer, size_t size, size_t count);
/* Reads at this node's pointer. */
ssize_t xmp_fread(xmp_file_t *fh, void *buffer, size_t size, size_t count);
/* Writes at this node's pointer. */
ssize_t xmp_fwrite(xmp_file_t *fh, const void *buffer, size_t size, size_t count);

/* ---- Checkpoints ----
 * Kumihimo's addition. A checkpoint is one file with all arrays, and beside it the description of what it holds. Whenever a
 * program or a machine dies, the checkpoint before stays whole. Arrays may have other layouts and other nodes when they are
 * restored.
 * Collective over the executing set. Errors: -1 on all nodes. */

/* Saves n arrays in the file name.NUMBER, with the next number from 1 on, which it returns. The files with older numbers are
 * removed, but for as many as KUMIHIMO_XMPIO_CHECKPOINTS keeps. */
long long xmp_checkpoint_save(const char *name, int n, const xmp_desc_t arrays[]);
/* The same with `bytes` bytes of memory that all nodes have alike: those of the first node are saved. */
long long xmp_checkpoint_save_values(const char *name, int n, const xmp_desc_t arrays[], const void *values, size_t bytes);
/* Fills the arrays, in the order in which they were saved, from the newest complete checkpoint, whose number it returns; from
 * the file `name` itself where that has a description. Shadows stay as they are. A wrong shape or type is told before anything
 * changes; after damage, which checksums tell, arrays hold what was read. */
long long xmp_checkpoint_restore(const char *name, int n, const xmp_desc_t arrays[]);
long long xmp_checkpoint_restore_values(const char *name, int n, const xmp_desc_t arrays[], void *values, size_t bytes);
/* The number of the newest complete checkpoint; 0 if there is none. */
long long xmp_checkpoint_latest(const char *name);

/* ---- Kumihimo's other additions ---- */

/* Keeps a description of the arrays that are written from now on, which is stored as NAME.json when the file NAME is closed:
 * shapes, types, places, checksums. KUMIHIMO_XMPIO_SIDECAR=1 does so for all files. 0 on success.
 * Collective over the nodes of the file. Errors: negative on all nodes. */
int xmp_file_describe_all(xmp_file_t *fh);

/* The message of the last XMP-IO or xmpnc call that failed on this node; "" if none did. Valid until the next one fails.
 * Local. Errors: none. */
const char *xmp_io_error(void);

#ifdef __cplusplus
}
#endif

#endif
