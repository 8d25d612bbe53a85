/* PolyBench atax: y = A^T (A x), rows in blocks; each node sums over its rows, a reduction adds the sums. */
#include "../timing.h"

#ifndef N
#define N 2048
#endif
#ifndef REPEAT
#define REPEAT 20
#endif

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static double a[N][N], product[N], x[N], y[N];
#pragma xmp align a[i][*] with t[i]
#pragma xmp align product[i] with t[i]

int main(void) {
    for (int i = 0; i < N; i++) x[i] = 1 + (double)i / N;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = (double)((i + j) % N) / (5 * N);
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
        for (int j = 0; j < N; j++) y[j] = 0;
#pragma xmp loop on t[i] reduction(+ : y)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += a[i][j] * x[j];
            product[i] = sum;
            for (int j = 0; j < N; j++) y[j] += a[i][j] * sum;
        }
        end_repetition();
    }
    const double seconds = seconds_now() - start;
    double total = 0;
    for (int j = 0; j < N; j++) total += y[j];
#pragma xmp task on p[0]
    report(seconds, total);
    return 0;
}
