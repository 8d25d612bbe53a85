/* PolyBench fdtd-2d: electric and magnetic field on a staggered grid, rows in blocks, one row of shadow above or below. */
#include "../timing.h"

#ifndef N
#define N 1024
#endif
#ifndef REPEAT
#define REPEAT 100
#endif

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static double ex[N][N], ey[N][N], hz[N][N];
#pragma xmp align ex[i][*] with t[i]
#pragma xmp align ey[i][*] with t[i]
#pragma xmp align hz[i][*] with t[i]
#pragma xmp shadow ey[0:1][0]
#pragma xmp shadow hz[1:0][0]

static void fill(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            ex[i][j] = (double)i * (j + 1) / N;
            ey[i][j] = (double)i * (j + 2) / N;
            hz[i][j] = (double)i * (j + 3) / N;
        }
}

static void step(int k) {
#pragma xmp reflect(hz)
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) ey[i][j] = i == 0 ? k : ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 1; j < N; j++) ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
#pragma xmp reflect(ey)
#pragma xmp loop on t[i]
    for (int i = 0; i < N - 1; i++)
        for (int j = 0; j < N - 1; j++) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
}

int main(void) {
    fill();
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
        step(k);
        end_repetition();
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
    double sum = 0;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += hz[i][j];
#pragma xmp task on p[0]
    report(seconds, sum);
    return 0;
}
