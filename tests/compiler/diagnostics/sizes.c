#include <stdio.h>
#include <string.h>
double u[16][16];
#pragma xmp nodes p[*]
#pragma xmp template t[16]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
int main(void) {
    memset(u, 0, sizeof u);
    fwrite(u, sizeof(u), 1, stdout);
    memset(u, 0, sizeof(u[0]) + sizeof *u + sizeof(u) / sizeof(u[0]));
    return 0;
}
