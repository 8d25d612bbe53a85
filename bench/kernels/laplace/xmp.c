/* 5-point Laplace solver in double precision: rows distributed in blocks, copy, sweep, residual every step. */
#include <math.h>

#include "../timing.h"

#ifndef N
#define N 1024
#endif
#ifndef REPEAT
#define REPEAT 300
#endif

double u[N][N], v[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align v[j][*] with t[j]
#pragma xmp shadow v[1][0]

int main(void) {
    double residual = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            u[j][i] = sin((double)i / N * M_PI) + cos((double)j / N * M_PI);
            v[j][i] = 0;
        }
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
#pragma xmp loop on t[j]
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) v[j][i] = u[j][i];
#pragma xmp reflect(v)
#pragma xmp loop on t[j]
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) u[j][i] = (v[j - 1][i] + v[j + 1][i] + v[j][i - 1] + v[j][i + 1]) / 4.0;
        end_repetition();
    }
    const double seconds = seconds_now() - start;
#pragma xmp loop on t[j] reduction(+ : residual)
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) residual += fabs(u[j][i] - v[j][i]);
#pragma xmp task on p[0]
    report(seconds, residual);
    return 0;
}
