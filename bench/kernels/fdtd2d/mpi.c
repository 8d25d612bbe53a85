/* The same by hand: rows 1 to `rows` are this process's, rows 0 and rows + 1 its neighbours'. */
#include <stdlib.h>

#include "../blocks.h"
#include "../timing.h"

#ifndef N
#define N 1024
#endif
#ifndef REPEAT
#define REPEAT 100
#endif

static Block block;
static int up, down;
static double (*ex)[N], (*ey)[N], (*hz)[N];

static void fill(void) {
    for (int l = 1; l <= block.mine; l++)
        for (int j = 0, i = block.first + l - 1; j < N; j++) {
            ex[l][j] = (double)i * (j + 1) / N;
            ey[l][j] = (double)i * (j + 2) / N;
            hz[l][j] = (double)i * (j + 3) / N;
        }
}

static void step(int k) {
    const int rows = block.mine, top = block.first == 0;
    MPI_Sendrecv(hz[rows], N, MPI_DOUBLE, down, 0, hz[0], N, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int l = 1; l <= rows; l++)
        for (int j = 0; j < N; j++) ey[l][j] = top && l == 1 ? k : ey[l][j] - 0.5 * (hz[l][j] - hz[l - 1][j]);
    for (int l = 1; l <= rows; l++)
        for (int j = 1; j < N; j++) ex[l][j] -= 0.5 * (hz[l][j] - hz[l][j - 1]);
    MPI_Sendrecv(ey[1], N, MPI_DOUBLE, up, 1, ey[rows + 1], N, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int last = block.end == N ? rows - 1 : rows;
    for (int l = 1; l <= last; l++)
        for (int j = 0; j < N - 1; j++) hz[l][j] -= 0.7 * (ex[l][j + 1] - ex[l][j] + ey[l + 1][j] - ey[l][j]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    block = block_of(N);
    up = block.first > 0 ? block.rank - 1 : MPI_PROC_NULL;
    down = block.end < N ? block.rank + 1 : MPI_PROC_NULL;
    ex = calloc(block.mine + 2, sizeof *ex);
    ey = calloc(block.mine + 2, sizeof *ey);
    hz = calloc(block.mine + 2, sizeof *hz);
    fill();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
        step(k);
        end_repetition();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0;
    for (int l = 1; l <= block.mine; l++)
        for (int j = 0; j < N; j++) partial += hz[l][j];
    const double sum = sum_of_all(partial);
    if (block.rank == 0) report(seconds, sum);
    MPI_Finalize();
    return 0;
}
