/* Step 2: the program on several nodes. Each of them still does all of the work; one prints. */
#include <stdio.h>
#include <string.h>
#define N 512
#define STEPS 400

double u[N][N], next[N][N];
#pragma xmp nodes p[*]

static double start(int j, int i) {
    return (j - 100) * (j - 100) + (i - 200) * (i - 200) < 80 * 80 ? 100.0 : 0.0;
}

int main(void) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) u[j][i] = start(j, i);

    for (int step = 1; step <= STEPS; step++) {
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++)
                next[j][i] = u[j][i] + 0.2 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1] - 4.0 * u[j][i]);
        memcpy(u, next, sizeof u);
        if (step % 100 == 0) {
            double sum = 0.0;
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) sum += u[j][i];
#pragma xmp task on p[0]
            printf("step %3d: mean temperature %.6f\n", step, sum / (N * N));
        }
    }
    return 0;
}
