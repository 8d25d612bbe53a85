/* Step 8: blocks in both dimensions, and sizes from the command line: heat [points [steps]] */
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

#pragma xmp nodes p[*][2]
#pragma xmp template t[:][:]
#pragma xmp distribute t[block][block] onto p

static double start(int j, int i) {
    return (j - 100) * (j - 100) + (i - 200) * (i - 200) < 80 * 80 ? 100.0 : 0.0;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 512, steps = argc > 2 ? atoi(argv[2]) : 400;
    double (*u)[n], (*next)[n];
#pragma xmp align u[j][i] with t[j][i]
#pragma xmp align next[j][i] with t[j][i]
#pragma xmp shadow u[1][1]
#pragma xmp template_fix t[n][n]
    u = xmp_malloc(xmp_desc_of(u), n, n);
    next = xmp_malloc(xmp_desc_of(next), n, n);

#pragma xmp loop on t[j][i]
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) u[j][i] = start(j, i);

    for (int step = 1; step <= steps; step++) {
#pragma xmp reflect (u)
#pragma xmp loop on t[j][i]
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++)
                next[j][i] = u[j][i] + 0.2 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1] - 4.0 * u[j][i]);
#pragma xmp loop on t[j][i]
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++) u[j][i] = next[j][i];
        if (step % 100 == 0) {
            double sum = 0.0;
#pragma xmp loop on t[j][i] reduction(+:sum)
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) sum += u[j][i];
#pragma xmp task on p[0][0]
            printf("step %3d: mean temperature %.6f\n", step, sum / n / n);
        }
    }

    xmp_free(xmp_desc_of(u));
    xmp_free(xmp_desc_of(next));
    return 0;
}
