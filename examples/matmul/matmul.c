/* C = A B, all three in blocks over a rectangle of nodes (the algorithm is known as SUMMA).
 *
 *   xmpcc -O3 -o matmul matmul.c -lm && xmprun -n 4 ./matmul
 *
 * The product is a sum over panels: some columns of A times the same rows of B. For its block of C a node needs its rows of the
 * columns and its columns of the rows. Two gmoves bring them there: `left` is spread like the rows of C and held by each column
 * of nodes, `right` is spread like the columns of C and held by each row of nodes. */
#include <math.h>
#include <stdio.h>
#include <xmp.h>

#ifndef N
#define N 512
#endif
#define WIDTH 64 /* of a panel; it divides N */

static int node_columns(void) {
    const int nodes = xmp_num_nodes();
    int columns = 1;
    for (int n = 2; n * n <= nodes; n++)
        if (nodes % n == 0) columns = n;
    return columns;
}

#pragma xmp nodes p[*][node_columns()]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p

double a[N][N], b[N][N], c[N][N];
#pragma xmp align a[i][j] with t[i][j]
#pragma xmp align b[i][j] with t[i][j]
#pragma xmp align c[i][j] with t[i][j]

double left[N][WIDTH], right[WIDTH][N];
#pragma xmp align left[i][*] with t[i][*]
#pragma xmp align right[*][j] with t[*][j]

static void fill(void) {
#pragma xmp loop (i, j) on t[i][j]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = sin(i + 0.5 * j);
            b[i][j] = cos(0.25 * i - j);
            c[i][j] = 0;
        }
}

static void multiply(void) {
    for (int first = 0; first < N; first += WIDTH) {
#pragma xmp gmove
        left[:][:] = a[:][first:WIDTH];
#pragma xmp gmove
        right[:][:] = b[first:WIDTH][:];

        /* A loop directive inside another one: rows of C outside, columns inside. Four rows of the panel at a time: each element
         * of C is read and written once for all four. */
#pragma xmp loop on t[i][*]
        for (int i = 0; i < N; i++)
            for (int k = 0; k < WIDTH; k += 4) {
                const double f0 = left[i][k], f1 = left[i][k + 1], f2 = left[i][k + 2], f3 = left[i][k + 3];
#pragma xmp loop on t[i][j]
                for (int j = 0; j < N; j++)
                    c[i][j] += f0 * right[k][j] + f1 * right[k + 1][j] + f2 * right[k + 2][j] + f3 * right[k + 3][j];
            }
    }
}

int main(void) {
    fill();
    const double start = xmp_wtime();
    multiply();
    const double seconds = xmp_wtime() - start;

    /* Each node has its block only: what concerns all of C is a reduction, single elements are asked for, by all nodes. */
    double largest = 0, corner;
#pragma xmp loop (i, j) on t[i][j] reduction(max:largest)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) largest = fabs(c[i][j]) > largest ? fabs(c[i][j]) : largest;
#pragma xmp gmove
    corner = c[N - 1][0];
#pragma xmp task on p[0][0]
    {
        printf("largest |c| = %.9f, c[%d][0] = %.9f\n", largest, N - 1, corner);
        fprintf(stderr, "%.2f Gflop/s on %d nodes\n", 2e-9 * N * N * N / seconds, xmp_all_num_nodes());
    }
    return 0;
}
