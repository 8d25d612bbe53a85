#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>
#define N 100
#pragma xmp nodes p[*]
double x[N]:[*], sum:[*], z[N], w[N], y;
int counter:[*];
xmp_lock_t l:[*];
int main(void) {
    int k = 0, n = N / 2, tag = 1;
@@
    (void)k, (void)n, (void)tag;
    return 0;
}
