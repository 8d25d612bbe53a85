/* STREAM's triad on a distributed vector. -DFORMAT=block|cyclic|cyclic(4), -DN=elements, -DREPEAT=times. */
#include "../timing.h"

#ifndef N
#define N 4000000
#endif
#ifdef INDEX /* The body needs the index itself. */
#define FACTOR(i, element) ((double)(i) - (element))
#else
#define FACTOR(i, element) (element)
#endif
#ifndef REPEAT
#define REPEAT 100
#endif
#ifndef FORMAT
#define FORMAT block
#endif

double a[N], b[N], c[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[FORMAT] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align c[i] with t[i]

int main(void) {
    const double scalar = 3.0;
    double sum = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        a[i] = 0;
        b[i] = i % 1000;
        c[i] = i % 7;
    }
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) a[i] = b[i] + scalar * FACTOR(i, c[i]);
        end_repetition();
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += a[i];
#pragma xmp task on p[0]
    report(seconds, sum);
    return 0;
}
