/* PolyBench gemm: C = alpha A B + beta C, rows in blocks; every node gets all of B once. */
#include "../timing.h"

#ifndef N
#define N 768
#endif

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static double a[N][N], b[N][N], c[N][N], whole[N][N];
#pragma xmp align a[i][*] with t[i]
#pragma xmp align b[i][*] with t[i]
#pragma xmp align c[i][*] with t[i]

int main(void) {
    const double alpha = 1.5, beta = 1.2;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (double)(i * (j + 1) % N) / N;
            b[i][j] = (double)(i * (j + 2) % N) / N;
            c[i][j] = (double)((i * j + 1) % N) / N;
        }
#pragma xmp barrier
    const double start = seconds_now();
#pragma xmp gmove
    whole[:][:] = b[:][:];
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) c[i][j] *= beta;
        for (int k = 0; k < N; k++) {
            const double factor = alpha * a[i][k];
            for (int j = 0; j < N; j++) c[i][j] += factor * whole[k][j];
        }
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
    double sum = 0;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += c[i][j];
#pragma xmp task on p[0]
    report(seconds, sum);
    return 0;
}
