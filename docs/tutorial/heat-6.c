/* Step 6: the sum over all nodes. This program prints what the serial one prints, on any number of nodes. */
#include <stdio.h>
#define N 512
#define STEPS 400

double u[N][N], next[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align next[j][*] with t[j]
#pragma xmp shadow u[1][0]

static double start(int j, int i) {
    return (j - 100) * (j - 100) + (i - 200) * (i - 200) < 80 * 80 ? 100.0 : 0.0;
}

int main(void) {
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) u[j][i] = start(j, i);

    for (int step = 1; step <= STEPS; step++) {
#pragma xmp reflect (u)
#pragma xmp loop on t[j]
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++)
                next[j][i] = u[j][i] + 0.2 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1] - 4.0 * u[j][i]);
#pragma xmp loop on t[j]
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) u[j][i] = next[j][i];
        if (step % 100 == 0) {
            double sum = 0.0;
#pragma xmp loop on t[j] reduction(+:sum)
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) sum += u[j][i];
#pragma xmp task on p[0]
            printf("step %3d: mean temperature %.6f\n", step, sum / (N * N));
        }
    }
    return 0;
}
