#include <math.h>
#include <stdio.h>
#define N 64
#pragma xmp nodes p[4]
#pragma xmp nodes q[2][*]
#pragma xmp template t[N]
#pragma xmp template cyclic[N]
#pragma xmp template s[N][2 * N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute cyclic[cyclic(3)] onto p
#pragma xmp distribute s[block][block] onto q
double u[N][N], v[N][N], w[N], x[N], sum;
float f[N][2 * N];
int limit = 7, counts[4]:[2][*], *later:[][];
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i][*] with t[i]
#pragma xmp align w[i] with cyclic[i]
#pragma xmp align x[i] with t[i]
#pragma xmp align f[i][j] with s[i][j]
#pragma xmp shadow u[1][0]
#pragma xmp shadow f[1][0:2]

static double twice(double value) {
    printf("%g\n", value);
    return 2 * value;
}

int main(void) {
    int i, j;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)  // plain
            u[i][j] = i + j;
#pragma xmp reflect(u)
#pragma xmp reflect(f) width(/periodic/1, 0:2) orthogonal async(3)
#pragma xmp wait_async(3)
#pragma xmp loop on t[i] reduction(+ : sum)
    for (i = 1; i < N - 1; i++)
        for (j = 0; j < N; j++) {
            v[i][j] = (u[i - 1][j] + u[i + 1][j]) / 2;
            sum += v[i][j];
        }
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)  // calls
            v[i][j] = twice(u[i][j]);
#pragma xmp loop on cyclic[i]
    for (i = 0; i < N; i++) w[i] = w[(i * 3) % 3 + i] + i;
#pragma xmp gmove
    w[:] = x[:];
#pragma xmp gmove
    x[0:10] = x[0:10];
#pragma xmp gmove
    sum = w[limit];
#pragma xmp array on t[1:N - 1]
    u[1:N - 1][:] = u[0:N - 1][:];
#pragma xmp image(p)
#pragma xmp post(p[0], 7)
#pragma xmp wait(p[0], 7)
#pragma xmp sync_memory
#pragma xmp task on p[1]
    {
        sum = 1;
    }
#pragma xmp bcast(sum) from p[1]
#pragma xmp reduction(max : sum) on p
#pragma xmp barrier on p[0:2]
    xmp_sort_up(xmp_desc_of(w), xmp_desc_of(x));
    xmp_matmul(xmp_desc_of(v), xmp_desc_of(u), xmp_desc_of(v));
    later = xmp_comalloc(limit * sizeof *later, 2);
    return 0;
}
