/* Input and output of Fortran programs: statements with master I/O, and global I/O. Part of generated.h, which says how to read
 * it. */
#ifndef KUMIHIMO_GENERATED_FORTRAN_IO_H
#define KUMIHIMO_GENERATED_FORTRAN_IO_H

#ifdef __GNUC__
#pragma GCC system_header /* pedantic warnings are for the program's own text, in any dialect */
#endif

#include "kumihimo/generated/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

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
