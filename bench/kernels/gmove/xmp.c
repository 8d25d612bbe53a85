/* Redistribution from rows to columns, or with -DROW of a row to all nodes. */
#include "../timing.h"

#ifndef N
#define N 256
#endif
#ifndef REPEAT
#define REPEAT 1000
#endif

double a[N][N], b[N][N], line[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[j][*] with t[j]
#pragma xmp align b[*][i] with t[i]

int main(void) {
    double sum = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) a[j][i] = (double)j * N + i;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) b[j][i] = 0;
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
#ifdef ROW
#pragma xmp gmove
        line[:] = a[k % N][:];
#else
#pragma xmp gmove
        b[:][:] = a[:][:];
#endif
        end_repetition();
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        sum += line[i];
        for (int j = 0; j < N; j++) sum += b[j][i];
    }
#pragma xmp task on p[0]
    report(seconds, sum);
    return 0;
}
