/* 19-point Jacobi sweep of a pressure equation in single precision, as in Himeno's benchmark: planes distributed in blocks. */
#include "../timing.h"

#ifndef NZ
#define NZ 64
#endif
#ifndef NY
#define NY 64
#endif
#ifndef NX
#define NX 128
#endif
#ifndef REPEAT
#define REPEAT 100
#endif

float p[NZ][NY][NX], work[NZ][NY][NX], bound[NZ][NY][NX], source[NZ][NY][NX];
float a0[NZ][NY][NX], a1[NZ][NY][NX], a2[NZ][NY][NX], a3[NZ][NY][NX];
float b0[NZ][NY][NX], b1[NZ][NY][NX], b2[NZ][NY][NX], c0[NZ][NY][NX], c1[NZ][NY][NX], c2[NZ][NY][NX];
#pragma xmp nodes n[*]
#pragma xmp template t[NZ]
#pragma xmp distribute t[block] onto n
#pragma xmp align [k][*][*] with t[k] :: p, work, bound, source
#pragma xmp align [k][*][*] with t[k] :: a0, a1, a2, a3, b0, b1, b2, c0, c1, c2
#pragma xmp shadow p[1][0][0]

int main(void) {
    const float omega = 0.8f;
    double residual = 0;
#pragma xmp loop on t[k]
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                p[k][j][i] = (float)(k * k) / (float)((NZ - 1) * (NZ - 1));
                work[k][j][i] = source[k][j][i] = 0;
                bound[k][j][i] = a0[k][j][i] = a1[k][j][i] = a2[k][j][i] = c0[k][j][i] = c1[k][j][i] = c2[k][j][i] = 1;
                a3[k][j][i] = 1.0f / 6.0f;
                b0[k][j][i] = b1[k][j][i] = b2[k][j][i] = 0;
            }
#pragma xmp reflect(p)
#pragma xmp barrier
    const double start = seconds_now();
    for (int step = 0; step < REPEAT; step++) {
#pragma xmp loop on t[k]
        for (int k = 1; k < NZ - 1; k++)
            for (int j = 1; j < NY - 1; j++)
                for (int i = 1; i < NX - 1; i++) {
                    const float s0 = a0[k][j][i] * p[k + 1][j][i] + a1[k][j][i] * p[k][j + 1][i] + a2[k][j][i] * p[k][j][i + 1] +
                                     b0[k][j][i] * (p[k + 1][j + 1][i] - p[k + 1][j - 1][i] - p[k - 1][j + 1][i] + p[k - 1][j - 1][i]) +
                                     b1[k][j][i] * (p[k][j + 1][i + 1] - p[k][j - 1][i + 1] - p[k][j + 1][i - 1] + p[k][j - 1][i - 1]) +
                                     b2[k][j][i] * (p[k + 1][j][i + 1] - p[k - 1][j][i + 1] - p[k + 1][j][i - 1] + p[k - 1][j][i - 1]) +
                                     c0[k][j][i] * p[k - 1][j][i] + c1[k][j][i] * p[k][j - 1][i] + c2[k][j][i] * p[k][j][i - 1] +
                                     source[k][j][i];
                    const float difference = (s0 * a3[k][j][i] - p[k][j][i]) * bound[k][j][i];
                    work[k][j][i] = p[k][j][i] + omega * difference;
                }
#pragma xmp loop on t[k]
        for (int k = 1; k < NZ - 1; k++)
            for (int j = 1; j < NY - 1; j++)
                for (int i = 1; i < NX - 1; i++) p[k][j][i] = work[k][j][i];
#pragma xmp reflect(p)
        end_repetition();
    }
    const double seconds = seconds_now() - start;
#pragma xmp loop on t[k] reduction(+ : residual)
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) residual += p[k][j][i];
#pragma xmp task on n[0]
    report(seconds, residual);
    return 0;
}
