/* Conjugate Gradient of the NAS Parallel Benchmarks: what does not depend on how nodes communicate. The matrix lies on a grid of
 * ROWS x COLUMNS nodes (powers of two, as many columns as rows or twice as many). A node multiplies its block by its part of a
 * vector, which lies over the columns and is the same in all rows of the grid; the products are summed along the row of nodes and
 * brought back to the columns. */
#ifndef KERNEL_CG_H
#define KERNEL_CG_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../nas.h"

#if CLASS == 'S'
enum { N = 1400, NONZEROS = 7, OUTER = 15 };
#define SHIFT 10.0
#define ZETA 8.5971775078648
#elif CLASS == 'W'
enum { N = 7000, NONZEROS = 8, OUTER = 15 };
#define SHIFT 12.0
#define ZETA 10.362595087124
#elif CLASS == 'A'
enum { N = 14000, NONZEROS = 11, OUTER = 15 };
#define SHIFT 20.0
#define ZETA 17.130235054029
#else
#error "CLASS is 'S', 'W' or 'A'"
#endif
#define CONDITION 0.1
#define INNER 25

#ifndef NODES
#define NODES 2
#endif
enum {
    COLUMNS = NODES >= 32 ? 8 : NODES >= 8 ? 4 : NODES >= 2 ? 2 : 1,
    ROWS = NODES / COLUMNS,
    WIDE = COLUMNS == 2 * ROWS, /* a block has twice as many rows as columns */
    BLOCK_ROWS = N / ROWS,
    BLOCK_COLUMNS = N / COLUMNS
};
_Static_assert(ROWS * COLUMNS == NODES && (COLUMNS == ROWS || WIDE) && N % COLUMNS == 0, "NODES is 1, 2, 4, 8, 16 or 32");

static int my_row, my_column;

/* ---- how products are summed along the row of nodes: step by step with one partner each ---- */
struct step {
    int partner;
    int give, take; /* where the partner's part of my products and my part of its begin */
    int count;
};
static struct step steps[8];
static int step_count;
/* Then my part of the result lies on this node, from that place on; and mine is what that node wants. */
static int holder, held_from;

static int node_at(int row, int column) { return row * COLUMNS + column; }

static void plan_sums(void) {
    int kept = 0, bit = 1;
    step_count = 0;
    if (WIDE) { /* halves: each keeps the half that is one column block */
        kept = my_column % 2 * BLOCK_COLUMNS;
        steps[step_count++] = (struct step){node_at(my_row, my_column ^ 1), BLOCK_COLUMNS - kept, kept, BLOCK_COLUMNS};
        bit = 2;
    }
    for (; bit < COLUMNS; bit *= 2)
        steps[step_count++] = (struct step){node_at(my_row, my_column ^ bit), kept, kept, BLOCK_COLUMNS};
    holder = WIDE ? node_at(my_column / 2, 2 * my_row + my_column % 2) : node_at(my_column, my_row);
    held_from = WIDE ? my_column % 2 * BLOCK_COLUMNS : 0;
}

/* ---- the matrix: the sum of N weighted outer products of sparse random vectors, and CONDITION - SHIFT on the diagonal ---- */
struct sparse {
    int start[BLOCK_ROWS + 1]; /* of each row */
    int *column;               /* in the block */
    double *value;
};
static struct sparse matrix;

struct entry {
    int row, column;
    double value;
};
static struct entry *entries;
static size_t entry_count, entry_room;

static void add_entry(int row, int column, double value) {
    row -= my_row * BLOCK_ROWS, column -= my_column * BLOCK_COLUMNS;
    if (row < 0 || row >= BLOCK_ROWS || column < 0 || column >= BLOCK_COLUMNS) return;
    if (entry_count == entry_room) entries = realloc(entries, (entry_room = 2 * entry_room + 1024) * sizeof *entries);
    entries[entry_count++] = (struct entry){row, column, value};
}

/* NONZEROS different random places with random values, and 0.5 at place `own`; how many. */
static int random_vector(uint64_t *state, int own, int place[NONZEROS + 1], double value[NONZEROS + 1]) {
    int power = 1, count = 0, at = -1;
    while (power < N) power *= 2;
    while (count < NONZEROS) {
        const double drawn = nas_random(state);
        const int index = (int)(power * nas_random(state));
        int known = index >= N;
        for (int k = 0; k < count && !known; k++) known = place[k] == index;
        if (known) continue;
        place[count] = index, value[count++] = drawn;
    }
    for (int k = 0; k < count; k++)
        if (place[k] == own) at = k;
    if (at < 0) at = count++;
    place[at] = own, value[at] = 0.5;
    return count;
}

/* Rows one after the other, entries of the same place added up. */
static void assemble(void) {
    static int next[BLOCK_ROWS + 1], at[BLOCK_COLUMNS];
    struct entry *const by_row = malloc(entry_count * sizeof *by_row);
    for (size_t e = 0; e < entry_count; e++) next[entries[e].row + 1]++;
    for (int row = 0; row < BLOCK_ROWS; row++) next[row + 1] += next[row];
    for (size_t e = 0; e < entry_count; e++) by_row[next[entries[e].row]++] = entries[e]; /* next: ends of the rows now */
    matrix.column = malloc(entry_count * sizeof(int));
    matrix.value = malloc(entry_count * sizeof(double));
    memset(at, -1, sizeof at);
    int end = 0;
    for (int row = 0, e = 0; row < BLOCK_ROWS; row++) {
        matrix.start[row] = end;
        for (; e < next[row]; e++) {
            int *const place = &at[by_row[e].column];
            if (*place < matrix.start[row]) {
                *place = end;
                matrix.column[end] = by_row[e].column, matrix.value[end++] = 0;
            }
            matrix.value[*place] += by_row[e].value;
        }
    }
    matrix.start[BLOCK_ROWS] = end;
    free(by_row);
    free(entries);
}

static void make_matrix(void) {
    uint64_t state = NAS_SEED;
    nas_random(&state); /* the report's program draws one number before */
    const double ratio = pow(CONDITION, 1.0 / N);
    double weight = 1, value[NONZEROS + 1];
    int place[NONZEROS + 1];
    for (int i = 0; i < N; i++, weight *= ratio) {
        const int count = random_vector(&state, i, place, value);
        for (int a = 0; a < count; a++)
            for (int b = 0; b < count; b++) add_entry(place[a], place[b], value[a] * value[b] * weight);
        add_entry(i, i, CONDITION - SHIFT);
    }
    assemble();
}

/* ---- the solver. Each program has its own way to communicate: ---- */
static double communication;                            /* seconds */
static double total(double value);                      /* sum over a row of nodes */
static void sum_products(double *products, double *to); /* BLOCK_ROWS in, BLOCK_COLUMNS out */

static double x[BLOCK_COLUMNS], z[BLOCK_COLUMNS], p[BLOCK_COLUMNS], q[BLOCK_COLUMNS], r[BLOCK_COLUMNS];

/* products: room for BLOCK_ROWS numbers, the program's own. */
static void multiply(double *restrict products, const double *restrict vector, double *restrict result) {
    for (int row = 0; row < BLOCK_ROWS; row++) {
        double sum = 0;
        for (int e = matrix.start[row]; e < matrix.start[row + 1]; e++) sum += matrix.value[e] * vector[matrix.column[e]];
        products[row] = sum;
    }
    const double start = seconds_now();
    sum_products(products, result);
    communication += seconds_now() - start;
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < BLOCK_COLUMNS; i++) sum += a[i] * b[i];
    const double start = seconds_now();
    sum = total(sum);
    communication += seconds_now() - start;
    return sum;
}

/* Solves A z = x by INNER steps; the norm of the residual. */
static double solve(double *products) {
    for (int i = 0; i < BLOCK_COLUMNS; i++) z[i] = 0, p[i] = r[i] = x[i];
    double rho = dot(r, r);
    for (int step = 0; step < INNER; step++) {
        multiply(products, p, q);
        const double alpha = rho / dot(p, q), before = rho;
        for (int i = 0; i < BLOCK_COLUMNS; i++) z[i] += alpha * p[i], r[i] -= alpha * q[i];
        rho = dot(r, r);
        for (int i = 0; i < BLOCK_COLUMNS; i++) p[i] = r[i] + rho / before * p[i];
    }
    multiply(products, z, r);
    for (int i = 0; i < BLOCK_COLUMNS; i++) r[i] -= x[i];
    return sqrt(dot(r, r));
}

/* One step of the inverse power method; the estimate of the eigenvalue. */
static double improve(double *products) {
    solve(products);
    const double zeta = SHIFT + 1 / dot(x, z), norm = sqrt(dot(z, z));
    for (int i = 0; i < BLOCK_COLUMNS; i++) x[i] = z[i] / norm;
    return zeta;
}

static void start_vector(void) {
    for (int i = 0; i < BLOCK_COLUMNS; i++) x[i] = 1;
}

static void prepare(int me, double *products) {
    my_row = me / COLUMNS, my_column = me % COLUMNS;
    plan_sums();
    make_matrix();
    start_vector();
    improve(products); /* not timed */
    start_vector();
    communication = 0;
}

static int verified(double zeta) { return fabs(zeta - ZETA) / ZETA <= 1e-10; }

#endif
