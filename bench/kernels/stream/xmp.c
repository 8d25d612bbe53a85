/* HPCC's STREAM: copy, scale, add and triad over arrays that no cache holds. */
#include "../timing.h"

#ifndef N
#define N 4000000
#endif
#ifndef REPEAT
#define REPEAT 20
#endif

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static double a[N], b[N], c[N];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align c[i] with t[i]

int main(void) {
    const double scalar = 3;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        a[i] = 1;
        b[i] = 2;
        c[i] = 0;
    }
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) c[i] = a[i];
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) b[i] = scalar * c[i];
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) c[i] = a[i] + b[i];
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) a[i] = (b[i] + scalar * c[i]) / 15;
        end_repetition();
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
    double sum = 0;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += a[i] + b[i] + c[i];
#pragma xmp task on p[0]
    report(seconds, sum / N);
    return 0;
}
