/* Declarations of every kind, names, addresses, sizeof, arguments, xmp_malloc, tasks, bcast, reduction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shared.h"
#define N 40
enum { M = 12 };
typedef double real;
typedef struct { float x; int id; } cell;
struct pair { double lo, hi; } pairs[N], *unused;
static cell cells[N][M];
int plain[3] = {1, 2, 3}, mixed[N], other = 5;
real *da, (*db)[M];
const int fixed = 9;
#pragma xmp nodes p[*]
#pragma xmp nodes q[*]=p
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template td[:]
#pragma xmp distribute td[cyclic(2)] onto p
#pragma xmp align pairs[i] with t[i]
#pragma xmp align cells[i][*] with t[i]
#pragma xmp shadow cells[1:1][0]
#pragma xmp align mixed[i] with t[i]
#pragma xmp align da[i] with td[i]
#pragma xmp align db[i][j] with t[i]
#pragma xmp align shared_array[i][*] with shared_t[i]
int master;
#define CELL(i, j) cells[(i)][(j)].x
#define SET(a, i, v) ((a)[i] = (v))

static real total(real v[N], int n) {
#pragma xmp align v[i] with t[i]
#pragma xmp shadow v[1]
    real sum = 0;
    (void)n;
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 0; i < N; i++) sum += v[i];
    return sum;
}

static struct shared_field own;

/* Members of structures as global arrays; `own` hides none of `shared`. */
static void members(void) {
    double sum = 0, last;
    int turns = 0;
#pragma xmp loop on shared_t[i]
    for (int i = 0; i < S; i++) {
        shared.value[i] = i + shared.steps;
        (own.value)[i] = -1;
        for (int k = 0; k < 3; k++) own.rows[i][k] = shared.value[i] * k;
    }
#pragma xmp loop on shared_turns[i] reduction(+:turns)
    for (int i = 0; i < S; i++) {
        own.turn[i] = i * i;
        turns += own.turn[i];
    }
#pragma xmp reflect(shared.value)
#pragma xmp loop on shared_t[i] reduction(+:sum)
    for (int i = 1; i < S - 1; i++) sum += (shared.value[i - 1] + shared.value[i + 1]) * own.rows[i][2] + own.value[i];
#pragma xmp gmove
    last = own.rows[S - 1][1];
    if (master) printf("members of structures: %g %d %g %d\n", sum, turns, last, shared.steps);
}

static int automatic(int n) {
#pragma xmp nodes r[*]
#pragma xmp template a[n]
#pragma xmp distribute a[cyclic] onto r
    int local[n], sum = 0, k = 3;
#pragma xmp align local[i] with a[i]
#pragma xmp loop on a[i]
    for (int i = 0; i < n; i++) local[i] = i * k;
    if (n > 100) return -1;
#pragma xmp loop on a[i] reduction(+:sum)
    for (int i = 0; i < n; i++) {
        int *q = &local[i];
        sum += *q;
    }
    return sum;
}

static int count(int *block, int n) {
    int nonzero = 0;
    for (int i = 0; i < n; i++) nonzero += block[i] != 0;
    return nonzero;
}

int main(int argc, char *argv[]) {
    int i, j;
    if (argc > 3) exit(strlen(argv[1]));
#pragma xmp task on p[0] nocomm
    master = 1;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++) {
        pairs[i].lo = i;
        pairs[i].hi = 2 * i;
        SET(mixed, i, i % 3);
        for (j = 0; j < M; j++) { CELL(i, j) = i + 0.25f * j; cells[i][j].id = i * j; }
    }
    double s = 0;
    int ids = 0;
#pragma xmp loop on t[i] reduction(+:s, ids)
    for (i = 0; i < N; i++) {
        struct pair *one = &pairs[i];
        cell *row = cells[i];
        s += one->lo + pairs[i].hi;
        for (j = 0; j < M; j++) ids += row[j].id + (int)CELL(i, j);
    }
    const size_t rows = sizeof(cells) / sizeof(cells[0]);
    if (master) printf("structures, macros, sizeof: %g %d %zu %zu %zu\n", s, ids, sizeof pairs / sizeof pairs[0], rows, sizeof(*cells));
    int nonzero = 0;
#pragma xmp loop on t[i] reduction(+:nonzero)
    for (i = 0; i < N; i++) nonzero += count(&mixed[i], 1);
    if (master) printf("address of an element as argument: %d %d %d\n", nonzero, other, plain[1]);
    real automatic_array[N];
#pragma xmp align automatic_array[i] with t[i]
#pragma xmp shadow automatic_array[1]
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++) automatic_array[i] = i * 1.5;
    double answer = total(automatic_array, N);
    if (master) printf("automatic array as argument: %g\n", answer);
    int sums = automatic(33) + automatic(5);
    if (master) printf("automatic arrays of run-time size: %d\n", sums);
#ifdef _XMP
#pragma xmp template_fix td[N + 10]
    da = (real *)xmp_malloc(xmp_desc_of(da), N + 10);
    db = (real(*)[M])xmp_malloc(xmp_desc_of(db), N, M);
#else
    da = malloc((N + 10) * sizeof(real)); db = malloc(sizeof(real[N][M]));
#endif
#pragma xmp loop on td[i]
    for (i = 0; i < N + 10; i++) da[i] = i;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) db[i][j] = i - j;
    s = 0;
#pragma xmp loop on td[i] reduction(+:s)
    for (i = 0; i < N + 10; i++) s += da[i] * i;
#pragma xmp loop on t[i] reduction(+:s)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) s += db[i][j] * j;
    if (master) printf("xmp_malloc: %g\n", s);
    free(da); /* in the parallel program xmp_free(xmp_desc_of(da)) */
    free((void *)db);
    int buffer[4] = {0, 0, 0, 0}, one = 0;
#pragma xmp task on t[7]
    {
        mixed[7] = 70;
        one = mixed[7] + 1;
    }
#pragma xmp bcast (one) from t[7]
#pragma xmp task on p[0]
    for (i = 0; i < 4; i++) buffer[i] = i + one;
#pragma xmp bcast (buffer) from p[0] async(3)
#pragma xmp wait_async (3)
    if (master) printf("task on t, bcast from t, bcast async: %d %d %d\n", one, buffer[0], buffer[3]);
#pragma xmp tasks
    {
#pragma xmp task on p[0]
        one = 10;
#pragma xmp task on t[N - 1]
        buffer[1] = 20;
    }
#pragma xmp bcast (one)
#pragma xmp bcast (buffer) from t[N - 1] on p
    if (master) printf("tasks, bcast from the last owner: %d %d\n", one, buffer[1]);
#pragma xmp barrier
    long partial = 0, all = 0;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++) partial += i;
    all = partial;
#pragma xmp reduction(+:all)
    if (master) printf("reduction directive after a loop: %ld\n", all);
    double sh = shared_sum();
    if (master) printf("array of two files: %g\n", sh);
    for (i = 0; i < N; i++) {
#pragma xmp task on t[i]
        mixed[i] = i;
    }
    sums = 0;
#pragma xmp loop on t[i] reduction(+:sums)
    for (i = N - 1; i > 0; i--) sums += mixed[i] * (i & 3);
    if (master) printf("task in a loop over elements: %d %p\n", sums, (void *)0);
    if (master) printf("constant in a loop without braces: ");
    if (master) for (i = 0; i < 2; i++) printf("%s", fixed > 3 ? "x" : "y");
    members();
    if (da == NULL || mixed == NULL) return 1;
    free(unused);
    return 0;
}
