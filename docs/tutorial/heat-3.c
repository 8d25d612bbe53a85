/* Step 3: the rows of both arrays are spread over the nodes. Each node says which ones it got. */
#include <stdio.h>
#include <xmp.h>
#define N 512

double u[N][N], next[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align next[j][*] with t[j]

int main(void) {
    int rows, columns;
    xmp_array_lsize(xmp_desc_of(u), 1, &rows);
    xmp_array_lsize(xmp_desc_of(u), 2, &columns);
    printf("node %d stores %d rows of %d elements\n", xmpc_node_num(), rows, columns);
    return 0;
}
