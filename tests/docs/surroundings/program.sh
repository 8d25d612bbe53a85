# program.c, a program with a coarray, and ./program, built of it.
cat >program.c <<'END'
#include <stdio.h>
#include <xmp.h>
int total:[*];
int main(void) {
    total:[0] += 1;
    xmp_sync_all(NULL);
    if (xmpc_this_image() == 0) printf("%d images\n", total);
    return 0;
}
END
xmpcc program.c -o program
