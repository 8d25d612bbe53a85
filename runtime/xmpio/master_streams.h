// stdio as master I/O in C programs (specification D.3, advice to implementers; xmpcc --io=master). C11: included by the
// functions that stand for the program's, too.
#pragma once

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// Before the program starts: its standard input and output are to be master I/O.
void XMP_Choose_master_streams(void);

// As fopen, collective over the executing set: the first node has the file open. What it reads all nodes get, and what the
// others write nobody does. An error of opening, of reading or, in fclose, of writing is one on all nodes.
FILE* XMP_Master_fopen(const char* path, const char* mode);

#ifdef __cplusplus
}
#endif
