#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>
#define N 100
#pragma xmp nodes p[*][2]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p
double u[N][N], v[N][N];
#pragma xmp align u[j][i] with t[j][i]
#pragma xmp align v[j][i] with t[j][i]
#pragma xmp shadow u[1][1]
double line[N], change, sum;
int main(void) {
    int k = 0, n = N / 2, m = N / 2;
@@
    (void)k, (void)n, (void)m;
    return 0;
}
