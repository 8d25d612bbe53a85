/* Two-dimensional node arrays: nested loop directives with reductions, partial on clauses, loops on nodes, replication,
 * permutation, ( ) and [ ] forms. An even number of nodes. */
#include <stdio.h>
#ifdef _XMP
#include <xmp.h>
#else
#define xmp_all_num_nodes() 1
#endif
#define N 30
#define M 22
double a[N][M], x[M], y[N], z[M][N], f[N][M], c[N][M];
int lower[2], length[2], visits, master, members;
#pragma xmp nodes p[*][2]
#pragma xmp nodes line[*] = p
#pragma xmp template t[N][M]
#pragma xmp distribute t[block][cyclic(2)] onto p
#pragma xmp template tf(0:M - 1, 0:N - 1)
#pragma xmp distribute tf(block, cyclic) onto p
#pragma xmp align a[i][j] with t[i][j]
#pragma xmp align x[j] with t[*][j]
#pragma xmp align y[i] with t[i][*]
#pragma xmp align z[j][i] with t[i][j]
#pragma xmp align f[i][j] with tf(j, i)
#pragma xmp nodes, dimension[2][*] :: wide
#pragma xmp nodes column[*] = p[:][*]
#pragma xmp template, distribute(cyclic(3), block) onto wide :: tc(0:M - 1, 0:N - 1)
#pragma xmp align (j, i) with tc(j, i), shadow (0, 1) :: c
static double row(double *values, int k) { return values[k] * 2; }
int main(void) {
    int i, j;
    double sum, total = 0, squares = 0;
#pragma xmp task on line[0] nocomm
    master = 1;
#pragma xmp loop (i, j) on t[i][j]
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) {
            a[i][j] = i + 0.5 * j;
            z[j][i] = a[i][j] * 2;
        }
#pragma xmp loop (j) on t[:][j]
    for (j = 0; j < M; j++) x[j] = j % 5;
#pragma xmp loop (i) on t[i][:]
    for (i = 0; i < N; i++) {
        sum = 0;
#pragma xmp loop (j) on t[i][j] reduction(+:sum)
        for (j = 0; j < M; j++) sum += a[i][j] * x[j];
        y[i] = sum;
    }
#pragma xmp loop (i) on t[i][:] reduction(+:total)
    for (i = 0; i < N; i++) total += y[i];
    if (master) printf("reduction in nested loop directives: %g\n", total);
#pragma xmp loop (j, i) on t[i][j] reduction(+:squares)
    for (j = M - 1; j >= 0; j--)
        for (i = 1; i < N; i += 3) squares += z[j][i] * z[j][i] - row(a[i], 0) * 0;
    if (master) printf("two dimensions, nested in the other order: %g\n", squares);
    total = 0;
#pragma xmp loop (j) on t[4][j] reduction(+:total)
    for (j = 1; j < M; j++) total += a[4][j] + j;
#pragma xmp bcast (total) from t[4][1]
    if (master) printf("one row, on t[4][j]: %g\n", total);
#pragma xmp loop (j, i) on tf(j, i)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) f[i][j] = i * j;
    total = 0;
#pragma xmp loop (i, j) on tf[i][j] reduction(+:total)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) total += f[i][j] + (f[i][j] > 3) * i;
    if (master) printf("template in round brackets: %g\n", total);
    members = 0;
#pragma xmp loop on p[:][i] reduction(+:members)
    for (i = 0; i < 2; i++) members += i + 1;
#pragma xmp reduction(max:members)
    if (master) printf("loop on nodes, p[:][i]: %d\n", members);
    lower[0] = 0;
    length[0] = 1;
    lower[1] = 1;
    length[1] = 1;
    if (xmp_all_num_nodes() > 1) {
#pragma xmp loop (i) on line[lower[i]:length[i]]
        for (i = 0; i < 2; i++) visits += 1;
#pragma xmp reduction(+:visits)
    } else {
        visits = 2;
    }
    if (master) printf("loop on parts of a node array: %d\n", visits);
    double w[2][3] = {{0}};
#pragma xmp loop (i) on t[i][0] reduction(+:w)
    for (i = 0; i < N; i++) w[i % 2][i % 3] += y[i];
#pragma xmp bcast (w) from line[0]
    if (master) printf("reduction of an array, on t[i][0]: %g %g\n", w[0][0], w[1][2]);
#pragma xmp loop (i, j) on tc(j, i)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) c[i][j] = i * M + j;
#pragma xmp reflect(c)
    total = 0;
#pragma xmp loop (i, j) on tc(j, i) reduction(+:total)
    for (i = 1; i < N; i++)
        for (j = 0; j < M; j++) total += c[i - 1][j] * j;
    if (master) printf("combined directives, ( ) in Fortran's order: %g\n", total);
    members = 1;
#pragma xmp reduction(+:members) on column
    if (master) printf("the nodes of this node's column: %d\n", members == (xmp_all_num_nodes() + 1) / 2);
    int rows = N / 2;
#ifdef _XMP
    xmp_array_lsize(xmp_desc_of(f), 1, &rows);
#endif
    if (master) printf("formats in ( ) meet nodes in [ ] from left to right: %d rows\n", rows);
    return 0;
}
