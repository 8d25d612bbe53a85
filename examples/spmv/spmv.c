/* A sparse matrix whose rows are of very different length, in rows over the nodes, and its largest eigenvalue by power iteration.
 *
 *   xmpcc -O3 -o spmv spmv.c -lm && xmprun -n 4 ./spmv
 *
 * Equal numbers of rows would be unequal work: the first rows have hundreds of elements, the last ones three. So the template is
 * distributed by gblock with sizes that are computed from the lengths of the rows. The elements themselves are in ordinary memory
 * of the node that owns the row; what the nodes share is the vector, which a gmove brings to all of them before each product. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

#define N 2000
#define ITERATIONS 60

typedef struct {
    int column;
    double value;
} element_t;

#pragma xmp nodes p[*]
#pragma xmp template t[:]
#pragma xmp distribute t[gblock(*)] onto p /* how, is known in main */

double product[N]; /* of the matrix and the vector: each node has its rows of it */
element_t *elements[N]; /* of each row */
int length[N];
#pragma xmp align product[i] with t[i]
#pragma xmp align elements[i] with t[i]
#pragma xmp align length[i] with t[i]

double vector[N]; /* all of it on every node */

static int row_length(int i) { return 3 + N / (4 + i); }
static int column_of(int i, int k) { return (int)((i + 97L * k * k) % N); }
static double value_of(int i, int k) { return 1.0 / (1 + k) + (i % 7) * 0.125; }

/* Rows for each node, so that all have about the same number of elements. */
static void divide(int nodes, int *rows) {
    long all = 0, before = 0;
    for (int i = 0; i < N; i++) all += row_length(i);
    for (int k = 0; k < nodes; k++) rows[k] = 0;
    for (int i = 0; i < N; i++) {
        rows[before * nodes / all]++;
        before += row_length(i);
    }
}

static void fill(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        length[i] = row_length(i);
        elements[i] = malloc(length[i] * sizeof(element_t));
        for (int k = 0; k < length[i]; k++) elements[i][k] = (element_t){column_of(i, k), value_of(i, k)};
    }
}

static void multiply(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < length[i]; k++) sum += elements[i][k].value * vector[elements[i][k].column];
        product[i] = sum;
    }
}

int main(void) {
    const int nodes = xmp_num_nodes();
    int rows[nodes];
    divide(nodes, rows);
#pragma xmp template_fix[gblock(rows)] t[N]
    fill();

    double eigenvalue = 0;
    for (int i = 0; i < N; i++) vector[i] = 1 / sqrt(N);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        multiply();
        double squares = 0;
#pragma xmp loop on t[i] reduction(+:squares)
        for (int i = 0; i < N; i++) squares += product[i] * product[i];
        eigenvalue = sqrt(squares); /* the vector had length 1 */
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) product[i] /= eigenvalue;
#pragma xmp gmove
        vector[:] = product[:];
    }

    long mine = 0, most = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) mine += length[i];
    most = mine;
#pragma xmp reduction(max:most)
#pragma xmp reduction(+:mine)
#pragma xmp task on p[0]
    {
        printf("%ld elements, largest eigenvalue %.9f\n", mine, eigenvalue);
        fprintf(stderr, "%d of %d rows on the first node; %.0f %% more elements on the fullest one than on average\n", rows[0], N,
                100.0 * most * nodes / mine - 100);
    }
    return 0;
}
