/* Conjugate gradients for Poisson's equation on a square: -(u_xx + u_yy) = 1 inside, u = 0 on the rim.
 *
 *   xmpcc -O3 -o cg cg.c -lm && xmprun -n 4 ./cg
 *   gcc   -O3 -o cg cg.c -lm && ./cg                  (the same program, serial)
 *
 * The matrix is never stored: row (j, i) of it is 4 u[j][i] less the four neighbours. One iteration needs one reflect, of the
 * direction that is multiplied by the matrix, and two sums over all nodes, the reductions of the scalar products. */
#include <math.h>
#include <stdio.h>

#define N 128 /* unknowns in each direction */
#define TOLERANCE 1e-10

#pragma xmp nodes p[*]
#pragma xmp template t[N + 2]
#pragma xmp distribute t[block] onto p

/* Solution, residual, direction, and the direction times the matrix; the rim is part of them and stays zero. */
double u[N + 2][N + 2], r[N + 2][N + 2], d[N + 2][N + 2], product[N + 2][N + 2];
#pragma xmp align u[j][*] with t[j]
#pragma xmp align r[j][*] with t[j]
#pragma xmp align d[j][*] with t[j]
#pragma xmp align product[j][*] with t[j]
#pragma xmp shadow d[1][0]

/* Arrays are passed with their distribution: the parameter says again how it is aligned. */
static double dot(double a[N + 2][N + 2], double b[N + 2][N + 2]) {
#pragma xmp align a[j][*] with t[j]
#pragma xmp align b[j][*] with t[j]
    double sum = 0;
#pragma xmp loop on t[j] reduction(+:sum)
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) sum += a[j][i] * b[j][i];
    return sum; /* the same on all nodes, so all nodes leave a loop that depends on it together */
}

static double direction_product(void) { /* of the direction and its image under the matrix */
    double sum = 0;
#pragma xmp reflect (d)
#pragma xmp loop on t[j] reduction(+:sum)
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) {
            product[j][i] = 4 * d[j][i] - d[j - 1][i] - d[j + 1][i] - d[j][i - 1] - d[j][i + 1];
            sum += d[j][i] * product[j][i];
        }
    return sum;
}

static void advance(double length) {
#pragma xmp loop on t[j]
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) {
            u[j][i] += length * d[j][i];
            r[j][i] -= length * product[j][i];
        }
}

static void turn(double factor) {
#pragma xmp loop on t[j]
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) d[j][i] = r[j][i] + factor * d[j][i];
}

int main(void) {
    const double h = 1.0 / (N + 1);
#pragma xmp loop on t[j]
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) d[j][i] = r[j][i] = h * h; /* the right side: u begins as zero */

    const double goal = TOLERANCE * TOLERANCE * dot(r, r);
    double squares = dot(r, r);
    int iterations = 0;
    while (squares > goal) {
        advance(squares / direction_product());
        const double before = squares;
        squares = dot(r, r);
        turn(squares / before);
        iterations++;
    }

#pragma xmp task on p[0]
    printf("residual %.1e of the first one after %d iterations\n", sqrt(squares / goal) * TOLERANCE, iterations);
#pragma xmp task on t[N / 2] /* who owns the row prints of it */
    printf("u[%d][%d] = %.9f\n", N / 2, N / 2, u[N / 2][N / 2]);
    return 0;
}
