#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>
#define N 1000
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double x[N], y[N];
#pragma xmp align x[i] with t[i]
#pragma xmp align y[i] with t[i]
#pragma xmp shadow x[1]
double line[N], sum;
int main(void) {
    int k = 0, n = N;
@@
    (void)k, (void)n;
    return 0;
}
