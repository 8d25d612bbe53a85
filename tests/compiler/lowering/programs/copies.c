/* Loops that copy one array to another, whole and in part; some of them become memcpy. */
#include <stdio.h>
#define N 24
#define M 10
#define L 6
double u[N][M], v[N][M], w[N][M], turned[M][N];
float a[N][M][L], b[N][M][L];
int x[N], y[N], z[M][N], sparse[N], dense[N];
long wide[N];
static struct { float f; char c; } pair[1];
struct item { float f; char c; } items[N], others[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(2)] onto p
#pragma xmp align [j][*] with t[j] :: u, v
#pragma xmp align w[j][*] with c[j]
#pragma xmp align turned[*][j] with t[j]
#pragma xmp align [j][*][*] with t[j] :: a, b
#pragma xmp align [j] with t[j] :: x, y, wide, items, others
#pragma xmp align [j] with c[j] :: sparse, dense
#pragma xmp align z[*][j] with t[j]
#pragma xmp shadow v[1][0]
#pragma xmp shadow b[1][1][0]
int master;

static void checksum(const char *name) {
    double sum = pair[0].f;
#pragma xmp loop on t[j] reduction(+:sum)
    for (int j = 0; j < N; j++) {
        sum += (x[j] + 3.0 * y[j] + wide[j]) * (j + 1) + items[j].f + 2 * others[j].f * j;
        for (int i = 0; i < M; i++) sum += (u[j][i] + 2 * v[j][i]) * (i + j) + z[i][j] * (i - j) + turned[i][j];
        for (int i = 0; i < M; i++)
            for (int k = 0; k < L; k++) sum += (a[j][i][k] + 2 * b[j][i][k]) * (i + j - k);
    }
#pragma xmp loop on c[j] reduction(+:sum)
    for (int j = 0; j < N; j++) {
        sum += sparse[j] * j - dense[j];
        for (int i = 0; i < M; i++) sum += w[j][i] * (i + 2 * j);
    }
    if (master) printf("%s: %.10g\n", name, sum);
}

static void fill(void) {
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) {
        x[j] = j;
        y[j] = 2 * j + 1;
        wide[j] = -j;
        items[j].f = j % 5;
        others[j].f = j % 7;
        for (int i = 0; i < M; i++) {
            u[j][i] = j + 0.5 * i;
            v[j][i] = j - i;
            z[i][j] = i * j;
            turned[i][j] = 0;
            for (int k = 0; k < L; k++) a[j][i][k] = i + j + k, b[j][i][k] = i - j * k;
        }
    }
#pragma xmp loop on c[j]
    for (int j = 0; j < N; j++) {
        sparse[j] = j;
        dense[j] = 3 * j;
        for (int i = 0; i < M; i++) w[j][i] = i;
    }
}

int main(void) {
    int i, j, k, n = M, none = -3;
#pragma xmp task on p[0] nocomm
    master = 1;
    fill();
    checksum("before any copy");
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) v[j][i] = u[j][i]; /* one memcpy */
    checksum("whole rows");
    fill();
#pragma xmp loop on t[j]
    for (j = 1; j <= N - 2; j++) {
        for (i = 0; i < n; i++) { v[j][i] = (u[j][i]); }
        for (int i = 2; i < M - 1; ++i)
            u[j][i] = v[j][i + 1]; /* shifted */
        for (i = 4; i < none; i++) u[j][i] = v[j][i];
        for (i = 6; i < 4; i++) u[j][i] = v[j][i]; /* nothing, as anybody sees */
    }
    checksum("parts of rows, shifted");
    fill();
#pragma xmp loop on t[j]
    for (j = 0; j < N; j++)
        for (k = 0; k < M; k++)
            for (i = 0; i < L; i++)
                a[j][k][i] = b[j][k][i]; /* the shadow of b divides its rows */
    if (master) printf("loop variables after a copy: i %d k %d\n", i, k);
    checksum("three dimensions, rows divided by a shadow");
    fill();
#pragma xmp loop on t[j]
    for (j = 0; j <= N - 1; j++)
        if (j % 2)
            for (i = 0; i <= M - 1; i++)
                for (k = 0; k != L; k++) b[j][i][k] = a[j][i][k];
        else
            for (i = n / 2; i < n; i++) u[j][i] = v[j][i];
    checksum("alternate rows, from the middle");
    fill();
#pragma xmp loop on t[j]
    for (j = 1; j < N; j++) x[j] = y[j];
#pragma xmp loop on t[j]
    for (int j = 2; j < N; j++) z[3][j] = x[j];
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) wide[j] = x[j]; /* another type */
#pragma xmp loop on t[j]
    for (int j = N - 1; j >= 3; j--) items[j] = others[j];
    checksum("one dimension, other types, structures backwards");
    fill();
#pragma xmp loop on t[j]
    for (int j = 2; j < N; j++) items[j] = others[j];
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M - 1; i++) u[j][i] = u[j][i + 1]; /* the same array */
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) turned[i][j] = u[j][i]; /* another order */
    checksum("the same array, dimensions exchanged");
    fill();
#pragma xmp loop on c[j]
    for (j = 0; j < N; j++) sparse[j] = dense[j];
#pragma xmp loop on c[j]
    for (j = 0; j < N; j++)
        for (i = 0; i < M - 2; i++) w[j][i] = w[j][i + 2];
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0, k = 1; i < M; i++, k++) v[j][i] = u[j][i];
    checksum("cyclic, two variables in a loop");
    return 0;
}
