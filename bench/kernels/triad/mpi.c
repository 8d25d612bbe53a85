/* The same by hand: each node holds its part of the vectors; BLOCK elements go round robin where BLOCK is given
 * (cyclic(BLOCK)), single ones with CYCLIC, else each node has one block. The initial loops need global indices, the triad does not. */
#include <mpi.h>
#include <stdlib.h>

#include "../timing.h"

#ifndef N
#define N 4000000
#endif
#ifdef INDEX /* The body needs the index itself. */
#define FACTOR(i, element) ((double)(i) - (element))
#else
#define FACTOR(i, element) (element)
#endif
#ifndef REPEAT
#define REPEAT 100
#endif

#ifdef BLOCK /* Two-level loop over the blocks of a node, as one writes it where the body may need the index. */
#define FOR_EACH(i, l)                                                                       \
    for (int block_start = rank * BLOCK; block_start < N; block_start += nodes * BLOCK)      \
        for (int i = block_start, l = block_start / (nodes * BLOCK) * BLOCK,                 \
                 block_end = block_start + BLOCK < N ? block_start + BLOCK : N;              \
             i < block_end; i++, l++)
#elif defined CYCLIC
#define FOR_EACH(i, l) for (int i = rank, l = 0; i < N; i += nodes, l++)
#else
#define FOR_EACH(i, l) for (int i = first, l = 0; i < end; i++, l++)
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, nodes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    const int size = (N + nodes - 1) / nodes, first = rank * size, end = first + size < N ? first + size : N;
    (void)first, (void)end;
    const double scalar = 3.0;
    double *const a = malloc((size + 64) * sizeof(double));
    double *const b = malloc((size + 64) * sizeof(double));
    double *const c = malloc((size + 64) * sizeof(double));
    FOR_EACH(i, l) {
        a[l] = 0;
        b[l] = i % 1000;
        c[l] = i % 7;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
        FOR_EACH(i, l) a[l] = b[l] + scalar * FACTOR(i, c[l]);
        end_repetition();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0, sum;
    FOR_EACH(i, l) partial += a[l];
    MPI_Allreduce(&partial, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) report(seconds, sum);
    MPI_Finalize();
    return 0;
}
