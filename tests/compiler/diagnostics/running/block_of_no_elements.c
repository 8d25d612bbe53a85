#include <stdlib.h>
#define N 8

int main(int argc, char **argv) {
    int width = argc - 1;
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(width)] onto p
    (void)argv;
    return 0;
}
