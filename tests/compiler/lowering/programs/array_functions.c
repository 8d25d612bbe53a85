/* The array functions of specification 7.9 with every form of arguments, against loops over local arrays on each node. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

#define M 7
#define N 10
#define K 5

#pragma xmp nodes p[*]
#pragma xmp nodes q[*][1]
#pragma xmp nodes first[1] = p[0:1]
#pragma xmp template rows[M]
#pragma xmp template columns[N]
#pragma xmp template grid[M][N]
#pragma xmp template line[M * N + 2]
#pragma xmp template alone[N]
#pragma xmp distribute rows[block] onto p
#pragma xmp distribute columns[cyclic] onto p
#pragma xmp distribute grid[cyclic(2)][block] onto q
#pragma xmp distribute line[cyclic(3)] onto p
#pragma xmp distribute alone[block] onto first
double a[M][K], b[K][N], x[M][N], y[N][M];
#pragma xmp align a[i][*] with rows[i]
#pragma xmp shadow a[1][0]
#pragma xmp align b[*][j] with alone[j]
#pragma xmp align x[i][j] with grid[i][j]
#pragma xmp align y[j][*] with columns[j]
int v[M * N], w[M * N], g[M][N], gi[M][N], gj[M][N];
bool mask[M][N];
#pragma xmp align v[i] with line[i + 1]
#pragma xmp align w[i] with line[i]
#pragma xmp align g[i][j] with grid[i][j]
#pragma xmp align gi[i][j] with grid[i][j]
#pragma xmp align gj[i][j] with grid[i][j]
#pragma xmp align mask[i][j] with grid[i][j]
double (*later)[N];
#pragma xmp align later[i][*] with rows[i]

static int wrong;

static void check(int same, const char *what) {
    if (same) return;
    if (!wrong) fprintf(stderr, "%s is wrong on node %d\n", what, xmpc_all_node_num());
    wrong = 1;
}

static double of_a(int i, int k) { return i * K + k + 1; }
static double of_b(int k, int j) { return k * 3 - j; }
static double product(int i, int j) {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += of_a(i, k) * of_b(k, j);
    return sum;
}
static int of_g(int i, int j) { return (i * N + j) * 17 % 101; }
static int chosen(int i, int j) { return (i + j) % 3 != 1; }

static void fill(void) {
#pragma xmp loop on rows[i]
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) a[i][k] = of_a(i, k);
    double whole[K][N];
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++) whole[k][j] = of_b(k, j);
#pragma xmp gmove
    b[:][:] = whole[:][:];
#pragma xmp loop on grid[i][j]
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            g[i][j] = of_g(i, j);
            gi[i][j] = (i * 3 + j) % M;
            gj[i][j] = (i + j * 7) % N;
            mask[i][j] = chosen(i, j);
            x[i][j] = -1;
        }
#pragma xmp loop on line[i]
    for (int i = 0; i < M * N; i++) w[i] = -1;
#pragma xmp loop on line[i + 1]
    for (int i = 0; i < M * N; i++) v[i] = -1;
}

static void matrices(void) {
    double local[M][N], turned[N][M];
    xmp_matmul(x[:][:], a[:][:], b[:][:]);
#pragma xmp loop on grid[i][j]
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) check(x[i][j] == product(i, j), "x = a b");
    xmp_transpose(y, x, 0);
#pragma xmp loop on columns[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) check(y[j][i] == product(i, j), "y = x'");
    xmp_matmul(local, xmp_desc_of(a), b);
    xmp_transpose(turned[:][:], local, 1);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) check(local[i][j] == product(i, j) && turned[j][i] == product(i, j), "local arrays");
    later = xmp_malloc(xmp_desc_of(later), M, N);
    xmp_transpose(later, y, 1);
#pragma xmp loop on rows[i]
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) check(later[i][j] == product(i, j), "memory of xmp_malloc");
    xmp_free(xmp_desc_of(later));
}

static void subscripts(void) {
    int sum[M][N];
    xmp_gather(sum, g, gi[:][:], gj[:][:]);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) check(sum[i][j] == of_g((i * 3 + j) % M, (i + j * 7) % N), "gather");
    int place[M][N];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) place[i][j] = (i * N + j + 20) % (M * N);
    xmp_scatter(v, g, place);
    int all[M * N];
#pragma xmp gmove
    all[:] = v[:];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) check(all[place[i][j]] == of_g(i, j), "scatter");
}

static void packing(void) {
    int all[M * N], expected[M * N], count = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            if (chosen(i, j)) expected[count++] = of_g(i, j);
    xmp_pack(w[:], g[:][:], mask[:][:]);
#pragma xmp gmove
    all[:] = w[:];
    for (int i = 0; i < M * N; i++) check(all[i] == (i < count ? expected[i] : -1), "pack");
    xmp_pack(v, g);
    xmp_sort_down(v, v);
#pragma xmp gmove
    all[:] = v[:];
    for (int i = 1; i < M * N; i++) check(all[i - 1] >= all[i], "sort_down");
    xmp_sort_up(xmp_desc_of(w), xmp_desc_of(v));
#pragma xmp gmove
    all[:] = w[:];
    for (int i = 1; i < M * N; i++) check(all[i - 1] <= all[i], "sort_up");
    xmp_unpack(g, w[:], NULL);
#pragma xmp loop on grid[i][j]
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) check(g[i][j] == all[i * N + j], "unpack");
    xmp_desc_t kept = xmp_desc_of(v);
    xmp_pack(kept, xmp_desc_of(g), NULL);
    xmp_sort_up(kept, xmp_desc_of(w));
    int *some = malloc(sizeof all);
    xmp_sort_down(some[0:M * N], v);
    for (int i = 0; i < M * N; i++) check(some[i] == all[M * N - 1 - i], "memory behind a pointer");
    free(some);
}

int main(void) {
    fill();
    matrices();
    subscripts();
    packing();
#pragma xmp reduction(max:wrong)
#pragma xmp task on p[0]
    if (!wrong) puts("ok");
    return wrong;
}
