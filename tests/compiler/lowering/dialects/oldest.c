/* C90: declarations first, comments like this one. */
#include <stdio.h>
#define N 16
double u[N][N], v[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i][*] with t[i]
#pragma xmp shadow u[1][0]
int main(void) {
    int i, j, k = 0;
    double sum = 0, best = 0;
    /* a comment */
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) u[i][j] = i + j;
#pragma xmp reflect (u)
#pragma xmp loop on t[i] reduction(+:sum) reduction(firstmax:best/k/)
    for (i = 1; i < N - 1; i++)
        for (j = 0; j < N; j++) {
            v[i][j] = u[i - 1][j] + u[i + 1][j];
            sum += v[i][j];
            if (v[i][j] > best) { best = v[i][j]; k = i; }
        }
#pragma xmp gmove
    v[0][:] = u[N - 1][:];
#pragma xmp task on p[0]
    {
        printf("%g %g %d\n", sum, best, k);
    }
#pragma xmp bcast (k) from p[0] on p
#pragma xmp reduction (+:sum) on p
#pragma xmp barrier
    return 0;
}
