/* The same by hand. */
#include <stdlib.h>

#include "../blocks.h"
#include "../timing.h"

#ifndef N
#define N 4000000
#endif
#ifndef REPEAT
#define REPEAT 20
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const Block block = block_of(N);
    const int mine = block.mine;
    double *const restrict a = malloc(mine * sizeof *a), *const restrict b = malloc(mine * sizeof *b);
    double *const restrict c = malloc(mine * sizeof *c), scalar = 3;
    for (int i = 0; i < mine; i++) {
        a[i] = 1;
        b[i] = 2;
        c[i] = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
        for (int i = 0; i < mine; i++) c[i] = a[i];
        for (int i = 0; i < mine; i++) b[i] = scalar * c[i];
        for (int i = 0; i < mine; i++) c[i] = a[i] + b[i];
        for (int i = 0; i < mine; i++) a[i] = (b[i] + scalar * c[i]) / 15;
        end_repetition();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0;
    for (int i = 0; i < mine; i++) partial += a[i] + b[i] + c[i];
    const double sum = sum_of_all(partial);
    if (block.rank == 0) report(seconds, sum / N);
    MPI_Finalize();
    return 0;
}
