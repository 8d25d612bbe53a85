/* PolyBench heat-3d: heat in a cube, planes in blocks, two arrays in turn. */
#include "../timing.h"

#ifndef N
#define N 128
#endif
#ifndef REPEAT
#define REPEAT 40
#endif

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static double a[N][N][N], b[N][N][N];
#pragma xmp align a[i][*][*] with t[i]
#pragma xmp align b[i][*][*] with t[i]
#pragma xmp shadow a[1][0][0]
#pragma xmp shadow b[1][0][0]

#define SECOND(u, i, j, k, di, dj, dk) (u[(i) + di][(j) + dj][(k) + dk] - 2.0 * u[i][j][k] + u[(i) - di][(j) - dj][(k) - dk])
#define HEAT(u, i, j, k) \
    (0.125 * SECOND(u, i, j, k, 1, 0, 0) + 0.125 * SECOND(u, i, j, k, 0, 1, 0) + 0.125 * SECOND(u, i, j, k, 0, 0, 1) + u[i][j][k])

int main(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) a[i][j][k] = b[i][j][k] = (double)(i + j + (N - k)) * 10 / N;
#pragma xmp barrier
    const double start = seconds_now();
    for (int turn = 0; turn < REPEAT; turn++) {
#pragma xmp reflect(a)
#pragma xmp loop on t[i]
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++) b[i][j][k] = HEAT(a, i, j, k);
#pragma xmp reflect(b)
#pragma xmp loop on t[i]
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++) a[i][j][k] = HEAT(b, i, j, k);
        end_repetition();
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
    double sum = 0;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) sum += a[i][j][k];
#pragma xmp task on p[0]
    report(seconds, sum);
    return 0;
}
