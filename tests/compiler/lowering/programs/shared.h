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
struct shared_field {
    int steps;
    double value[S], rows[S][3];
    short turn[S];
};
#pragma xmp template shared_turns[S]
#pragma xmp distribute shared_turns[cyclic(2)] onto shared_p
#pragma xmp align shared_field.value[i] with shared_t[i]
#pragma xmp align [i][*] with shared_t[i] :: shared_field.rows
#pragma xmp align shared_field.turn[i] with shared_turns[i]
#pragma xmp shadow shared_field.value[1]
extern struct shared_field shared;
double shared_sum(void);
#endif
