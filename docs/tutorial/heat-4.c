/* Step 4: each node works on its own rows. There is no time yet: the plate is made, and its warm rows are counted. */
#include <stdio.h>
#define N 512

double u[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]

static double start(int j, int i) {
    return (j - 100) * (j - 100) + (i - 200) * (i - 200) < 80 * 80 ? 100.0 : 0.0;
}

int main(void) {
    int rows = 0, warm = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) u[j][i] = start(j, i);

#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) {
        rows++;
        warm += u[j][200] > 0.0;
    }
    printf("%d of %d rows are warm\n", warm, rows);
    return 0;
}
