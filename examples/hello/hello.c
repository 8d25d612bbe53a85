/* Eight numbers on any number of nodes: each node says which of them are its own, then all add them up.
 *
 *   xmpcc -o hello hello.c && xmprun -n 4 ./hello
 *   gcc   -o hello hello.c && ./hello              (the same program, serial: the directives are comments to it)
 */
#include <stdio.h>

#define N 8

int number[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align number[i] with t[i]

int main(void) {
    int sum = 0;

#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        number[i] = i + 1;
        printf("Hello, number[%d] is mine.\n", i);
    }

#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 0; i < N; i++) sum += number[i];

#pragma xmp task on p[0]
    printf("Together they make %d.\n", sum);
    return 0;
}
