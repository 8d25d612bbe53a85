/* The same by hand: one Allgatherv for B. */
#include <stdlib.h>

#include "../blocks.h"
#include "../timing.h"

#ifndef N
#define N 768
#endif

static void gather(const Block *block, double (*b)[N], double (*whole)[N]) {
    int *const counts = malloc(2 * block->nodes * sizeof *counts), *const starts = counts + block->nodes;
    const int mine = block->mine * N, first = block->first * N;
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(&first, 1, MPI_INT, starts, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(b, mine, MPI_DOUBLE, whole, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    free(counts);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const Block block = block_of(N);
    const double alpha = 1.5, beta = 1.2;
    double(*const a)[N] = malloc(block.mine * sizeof *a), (*const b)[N] = malloc(block.mine * sizeof *b);
    double(*const c)[N] = malloc(block.mine * sizeof *c);
    static double whole[N][N];
    for (int l = 0; l < block.mine; l++)
        for (int j = 0, i = block.first + l; j < N; j++) {
            a[l][j] = (double)(i * (j + 1) % N) / N;
            b[l][j] = (double)(i * (j + 2) % N) / N;
            c[l][j] = (double)((i * j + 1) % N) / N;
        }
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    gather(&block, b, whole);
    for (int i = 0; i < block.mine; i++) {
        for (int j = 0; j < N; j++) c[i][j] *= beta;
        for (int k = 0; k < N; k++) {
            const double factor = alpha * a[i][k];
            for (int j = 0; j < N; j++) c[i][j] += factor * whole[k][j];
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0;
    for (int i = 0; i < block.mine; i++)
        for (int j = 0; j < N; j++) partial += c[i][j];
    const double sum = sum_of_all(partial);
    if (block.rank == 0) report(seconds, sum);
    MPI_Finalize();
    return 0;
}
