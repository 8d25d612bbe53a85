#ifndef SHARED_H
#define SHARED_H
#ifdef _XMP
#include <xmp.h>
#endif
#define S 21
extern double shared_array[S][3];
#pragma xmp nodes shared_p[*]
#pragma xmp template shared_t[S]
#pragma xmp distribute shared_t[block] onto shared_p
double shared_sum(void);
#endif
