/* The discrete Fourier transform of a signal that is too long for one node, by transposition (the four-step algorithm).
 *
 *   xmpcc -O3 -o fft fft.c -lm && xmprun -n 4 ./fft
 *
 * The signal x[0 .. ROWS * COLUMNS) lies as a matrix, row after row. Its transform is a transform of each column, a multiplication
 * by roots of unity, and a transform of each row. `by_columns` has whole columns on a node and `by_rows` whole rows: both
 * transforms are local, and one gmove between them, where every node sends a part to every other, is all the communication. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <xmp.h>

#ifndef ROWS
#define ROWS 512 /* powers of two */
#define COLUMNS 512
#endif
#define SIZE ((long)ROWS * COLUMNS)
#define LONGEST (ROWS > COLUMNS ? ROWS : COLUMNS)

#pragma xmp nodes p[*]
#pragma xmp template row[ROWS]
#pragma xmp template column[COLUMNS]
#pragma xmp distribute row[block] onto p
#pragma xmp distribute column[block] onto p

double complex by_columns[ROWS][COLUMNS], by_rows[ROWS][COLUMNS];
#pragma xmp align by_columns[*][i] with column[i]
#pragma xmp align by_rows[j][*] with row[j]

static const double pi = 3.14159265358979323846; /* M_PI is no word of the C standard */

static double complex root(long k, long n) { return cexp(-2 * pi * I * (double)(k % n) / (double)n); }

/* Transform of n values in place, by the algorithm of Cooley and Tukey: pairs, then fours, and so on; log2(n) rounds. */
static void fft(double complex *x, int n) {
    static double complex roots[LONGEST];
    static int ready; /* for which n */
    if (ready != n)
        for (int k = 0; k < n; k++) roots[k] = root(k, n);
    ready = n;
    for (int i = 0, j = 0; i < n; i++) { /* order of the bits reversed */
        if (i < j) {
            const double complex other = x[i];
            x[i] = x[j], x[j] = other;
        }
        int bit = n >> 1;
        for (; bit > 0 && (j & bit); bit >>= 1) j ^= bit;
        j |= bit;
    }
    for (int half = 1; half < n; half *= 2)
        for (int first = 0; first < n; first += 2 * half)
            for (int k = 0; k < half; k++) {
                const double complex a = x[first + k], b = x[first + half + k] * roots[k * (n / (2 * half))];
                x[first + k] = a + b, x[first + half + k] = a - b;
            }
}

/* Afterwards by_rows[j][i] is the transform's element j + ROWS * i. */
static void transform(void) {
#pragma xmp loop on column[i]
    for (int i = 0; i < COLUMNS; i++) {
        double complex line[ROWS];
        for (int j = 0; j < ROWS; j++) line[j] = by_columns[j][i];
        fft(line, ROWS);
        for (int j = 0; j < ROWS; j++) by_columns[j][i] = line[j] * root((long)i * j, SIZE);
    }
#pragma xmp gmove
    by_rows[:][:] = by_columns[:][:];
#pragma xmp loop on row[j]
    for (int j = 0; j < ROWS; j++) fft(&by_rows[j][0], COLUMNS);
}

int main(void) {
    /* Two tones, and a signal that sinks slowly. */
#pragma xmp loop on column[i]
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < ROWS; j++) {
            const double time = (double)(j * (long)COLUMNS + i) / SIZE;
            by_columns[j][i] = cos(2 * pi * 50 * time) + 0.5 * sin(2 * pi * 3000 * time) - time;
        }
    const double start = xmp_wtime();
    transform();
    const double seconds = xmp_wtime() - start;

    const long asked[] = {0, 1, 50, 3000, SIZE / 2, SIZE - 50};
    for (int k = 0; k < 6; k++) {
        double complex value;
#pragma xmp gmove
        value = by_rows[asked[k] % ROWS][asked[k] / ROWS];
#pragma xmp task on p[0]
        printf("X[%ld] = %.9f %+.9f i\n", asked[k], creal(value) / SIZE, cimag(value) / SIZE);
    }
#pragma xmp task on p[0]
    fprintf(stderr, "%.3f s on %d nodes\n", seconds, xmp_all_num_nodes());
    return 0;
}
