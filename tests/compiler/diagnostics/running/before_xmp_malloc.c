/* options: --check */
#include <xmp.h>
#define N 8
double *x;
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]

int main(void) {
    x[0] = 1;
    return 0;
}
