/* expand, margin, peel_and_wait, node references, calls in loops, OpenMP, triangles, gblock, several dimensions. */
#include <stdio.h>
#define N 48
#define M 20
double u[N][M], v[N][M], w[N];
int count[N], marks[N][M];
int sizes[1] = {N};
int master;
#pragma xmp nodes p[*]
#pragma xmp nodes q[*][1]
#pragma xmp template t[N], t2[N][M]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute t2[block][block] onto q
#pragma xmp align u[i][j] with t2[i][j]
#pragma xmp align v[i][j] with t2[i][j]
#pragma xmp align marks[i][j] with t2[i][j]
#pragma xmp shadow u[1][1]
#pragma xmp shadow marks[2][2]
#pragma xmp align w[i] with t[i]
#pragma xmp shadow w[3]
#pragma xmp align count[i] with t[i]
static double f(double x) { return x * 2 + 1; }
int main(void) {
    int i, j;
    double sum = 0;
#pragma xmp task on p[0] nocomm
    master = 1;
#pragma xmp loop (i, j) on t2[i][j]
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) { u[i][j] = f(i) + j; v[i][j] = 0; marks[i][j] = 0; }
#pragma xmp reflect (u) width(1, 1) async(7)
#pragma xmp loop (i, j) on t2[i][j] peel_and_wait(7, -1, -1)
    for (i = 1; i < N - 1; i++)
        for (j = 1; j < M - 1; j++) v[i][j] += u[i - 1][j] + u[i + 1][j] - u[i][j - 1] * u[i][j + 1];
#pragma xmp loop (i, j) on t2[i][j] reduction(+:sum)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) sum += v[i][j];
    if (master) printf("peel_and_wait: %.10g\n", sum);
#pragma xmp loop (i, j) on t2[i][j] expand(-1, -2)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) marks[i][j] += 1;
#pragma xmp loop (i, j) on t2[i][j] margin(-1, -2)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) marks[i][j] += 1;
    int ones = 0;
#pragma xmp loop (i, j) on t2[i][j] reduction(+:ones)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) ones += marks[i][j] == 1;
#ifndef _XMP
    ones = N * M; /* serially both loops run whole */
#endif
    if (master) printf("expand and margin in two dimensions: %d\n", ones);
#pragma xmp loop on t[i] expand(1)
    for (i = N - 1; i >= 0; i--) w[i] = i;
    sum = 0;
#pragma xmp loop on t[i] reduction(+:sum)
    for (i = 1; i < N - 1; i++) sum += w[i - 1] + 2 * w[i + 1];
    if (master) printf("expand, backwards: %.10g\n", sum);
    sum = 0;
#pragma xmp loop on t[i] reduction(+:sum)
#pragma omp parallel for default(none) shared(w) reduction(+:sum)
    for (i = 0; i < N; i++) sum += w[i] * 3;
    if (master) printf("OpenMP below loop: %.10g\n", sum);
    sum = 0;
#pragma omp parallel for reduction(+:sum)
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 0; i < N; i++) sum += w[i] * 5;
    if (master) printf("OpenMP above loop: %.10g\n", sum);
    sum = 0;
#pragma xmp loop (i) on t2[i][:] reduction(+:sum)
    for (i = 0; i < N; i++)
        for (j = i % M; j < M; j++) sum += i * 0.5 - j;
    if (master) printf("inner bounds from the outer variable: %.10g\n", sum);
    sum = 0;
#pragma xmp loop (i) on t2[i][3] reduction(+:sum)
    for (i = 0; i < N; i++) sum += u[i][3];
    if (master) printf("one column, on t2[i][3]: %.10g\n", sum);
    if (sum > 0)
#pragma xmp loop on t[i]
        for (i = 0; i < N; i++) count[i] = i;
    else
        sum = 1;
    int c = 0;
#pragma xmp loop on t[i] reduction(+:c)
    for (long i = 0; i < N; i += 1 + sizes[0] % 2)
        switch (count[i] % 3) {
        case 0: c += 1; break;
        case 1: { int k = 0; while (1) { if (k++ > 3) break; } c += k; } break;
        default: continue;
        }
    if (master) printf("loop between if and else, switch and continue: %d\n", c);
    return 0;
}
