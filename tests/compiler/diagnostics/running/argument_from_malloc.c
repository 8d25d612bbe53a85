#include <stdlib.h>
#define N 8
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p

static void fill(double *v) {
#pragma xmp align v[i] with t[i]
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) v[i] = i;
}

int main(void) {
    double *const x = malloc(N * sizeof *x);
    fill(x);
    return 0;
}
