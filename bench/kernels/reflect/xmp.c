/* Halo exchange around a ring of nodes that have rows. */
#include "../timing.h"

#ifndef N
#define N 1024
#endif
#ifndef REPEAT
#define REPEAT 10000
#endif

double u[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp shadow u[1][0]

int main(void) {
    double sum = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) u[j][i] = (double)j * N + i;
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
#pragma xmp reflect(u) width(/periodic/1, 0)
        end_repetition();
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
#pragma xmp loop on t[j] reduction(+ : sum)
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) sum += u[j - 1][i] * u[j + 1][i];
#pragma xmp task on p[0]
    report(seconds, sum);
    return 0;
}
