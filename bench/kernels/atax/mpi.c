/* The same by hand: one Allreduce of y. */
#include <stdlib.h>

#include "../blocks.h"
#include "../timing.h"

#ifndef N
#define N 2048
#endif
#ifndef REPEAT
#define REPEAT 20
#endif

static double x[N], y[N], partial[N];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const Block block = block_of(N);
    double(*const a)[N] = malloc(block.mine * sizeof *a), *const product = malloc(block.mine * sizeof *product);
    for (int i = 0; i < N; i++) x[i] = 1 + (double)i / N;
    for (int i = 0; i < block.mine; i++)
        for (int j = 0; j < N; j++) a[i][j] = (double)((block.first + i + j) % N) / (5 * N);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
        for (int j = 0; j < N; j++) partial[j] = 0;
        for (int i = 0; i < block.mine; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += a[i][j] * x[j];
            product[i] = sum;
            for (int j = 0; j < N; j++) partial[j] += a[i][j] * sum;
        }
        MPI_Allreduce(partial, y, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        end_repetition();
    }
    const double seconds = seconds_now() - start;
    double total = 0;
    for (int j = 0; j < N; j++) total += y[j];
    if (block.rank == 0) report(seconds, total);
    MPI_Finalize();
    return 0;
}
