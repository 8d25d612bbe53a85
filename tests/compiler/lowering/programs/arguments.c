/* Dummy arguments without their first extent; directives before the body (specification 4.3.4). */
#include <stdio.h>
#define N 24
#define M 5
double u[N][M], v[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align v[j] with t[j]
#pragma xmp shadow u[1][0]
#pragma xmp shadow v[2]
static double f(double a[][M], double *b, double (*c)[M], double *x) {
#pragma xmp align a[j][*] with t[j]
#pragma xmp shadow a[1][0]
#pragma xmp align c[j][*] with t[j]
#pragma xmp shadow c[1][0]
#pragma xmp align b[j] with t[j]
#pragma xmp shadow b[2]
    double sum = 0;
    (void)x;
#pragma xmp loop on t[j] reduction(+:sum)
    for (int j = 0; j < N; j++) {
        sum += b[j];
        for (int i = 0; i < M; i++) sum += a[j][i] * c[j][i];
    }
    return sum;
}
static void scale(double factor, double w[N])
#pragma xmp align w[j] with t[j]
#pragma xmp shadow w[2]
{
    factor *= 2;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) w[j] *= factor;
}
int main(void) {
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) {
        v[j] = j;
        for (int i = 0; i < M; i++) u[j][i] = i + j;
    }
    scale(1.5, v);
    double x = f(u, v, u, 0) + f(u, v, u, 0);
#pragma xmp task on p[0]
    printf("arguments without first extents, directives before a body: %g\n", x);
    return 0;
}
