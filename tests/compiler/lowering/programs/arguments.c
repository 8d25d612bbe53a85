/* Dummy arguments without their first extent; directives before the body (specification 4.3.4); assignments to aligned
 * pointers, which a descriptor follows (3.5). */
#include <stdio.h>
#include <stdlib.h>
#ifdef _XMP
#include <xmp.h>
#else
#define xmp_malloc(a, n) malloc((n) * sizeof(double))
#endif
#define N 24
#define M 5
double u[N][M], v[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double *old, *new, *third;
#pragma xmp align old[j] with t[j]
#pragma xmp align new[j] with t[j]
#pragma xmp align third[j] with t[j]
#pragma xmp shadow old[1]
#pragma xmp shadow new[1]
#pragma xmp shadow third[1]
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
/* Swaps its own pointers only. */
static void advance(double *from, double *to) {
#pragma xmp align from[j] with t[j]
#pragma xmp shadow from[1]
#pragma xmp align to[j] with t[j]
#pragma xmp shadow to[1]
    double *const keep = from;
    from = to;
    to = keep;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) from[j] = 2 * to[j];
}
static double steps(int count) {
    double *keep, sum = 0;
    for (int k = 0; k < count; k++) {
#pragma xmp reflect(old)
#pragma xmp loop on t[j]
        for (int j = 1; j < N - 1; j++) new[j] = old[j - 1] + 0.5 * old[j + 1];
        keep = old, old = new, new = keep;
    }
    advance(old, new);
    third = (new);
#pragma xmp loop on t[j] reduction(+:sum)
    for (int j = 0; j < N; j++) sum += third[j] * (j + 1);
    return sum;
}
int main(void) {
    old = xmp_malloc(xmp_desc_of(old), N);
    new = (double *)xmp_malloc(xmp_desc_of(new), N);
    third = NULL;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) old[j] = new[j] = j % 7;
    double swapped = steps(3);
#pragma xmp task on p[0]
    printf("aligned pointers, swapped and passed: %g\n", swapped);
    third = NULL;
    free(old);
    free(new);
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
