/* LU factorisation with partial pivoting, as HPL does it without its blocking: columns dealt out in turn. a[j] is column j. */
#include <math.h>

#include "../timing.h"

#ifndef N
#define N 1024
#endif

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic] onto p
static double a[N][N], column[N];
#pragma xmp align a[j][*] with t[j]

static void fill(void) {
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) a[j][i] = sin(1.0 + i * 1.7 + j * 0.3 + (double)i * j) + (i == j) * 0.5;
}

/* The owner of column k chooses the pivot and divides by it; everybody gets the multipliers. */
static int eliminate(int k) {
    int pivot = k;
#pragma xmp task on t[k]
    {
        for (int i = k + 1; i < N; i++)
            if (fabs(a[k][i]) > fabs(a[k][pivot])) pivot = i;
        const double largest = a[k][pivot];
        a[k][pivot] = a[k][k];
        a[k][k] = largest;
        for (int i = k + 1; i < N; i++) column[i] = a[k][i] /= largest;
    }
#pragma xmp bcast(pivot, column) from t[k]
    return pivot;
}

int main(void) {
    fill();
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < N - 1; k++) {
        const int pivot = eliminate(k);
#pragma xmp loop on t[j]
        for (int j = k + 1; j < N; j++) {
            const double factor = a[j][pivot];
            a[j][pivot] = a[j][k];
            a[j][k] = factor;
            for (int i = k + 1; i < N; i++) a[j][i] -= factor * column[i];
        }
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
    double logarithm = 0; /* of the determinant's size */
#pragma xmp loop on t[j] reduction(+ : logarithm)
    for (int j = 0; j < N; j++) logarithm += log(fabs(a[j][j]));
#pragma xmp task on p[0]
    report(seconds, logarithm);
    return 0;
}
