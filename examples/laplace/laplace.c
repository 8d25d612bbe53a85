/* Laplace's equation on a square, two sides at 1 and two at 0, by Jacobi's iteration: blocks of rows, and a shadow one row wide
 * that holds what the neighbours own.
 *
 *   xmpcc -O3 -o laplace laplace.c && xmprun -n 4 ./laplace
 *   gcc   -O3 -o laplace laplace.c && ./laplace                 (the same program, serial)
 */
#include <stdio.h>

#ifndef N
#define N 256
#endif

double u[N][N], next[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align next[j][*] with t[j]
#pragma xmp shadow u[1][0]

int main(void) {
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) u[j][i] = j == 0 || i == 0 ? 1.0 : 0.0;

    double change = 1.0; /* the largest of the last iteration */
    int iteration = 0;
    while (change > 1e-4) {
        change = 0.0;
#pragma xmp reflect (u)
#pragma xmp loop on t[j] reduction(max:change)
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) {
                next[j][i] = 0.25 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1]);
                const double difference = next[j][i] > u[j][i] ? next[j][i] - u[j][i] : u[j][i] - next[j][i];
                change = difference > change ? difference : change;
            }
#pragma xmp loop on t[j]
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) u[j][i] = next[j][i];
        iteration++;
    }

#pragma xmp task on t[N / 4]
    printf("%d iterations, u[%d][%d] = %.15f\n", iteration, N / 4, N / 4, u[N / 4][N / 4]);
    return 0;
}
