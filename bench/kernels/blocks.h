/* What the hand-written kernels share: which indices of a block distribution a process has. */
#ifndef KERNEL_BLOCKS_H
#define KERNEL_BLOCKS_H

#include <mpi.h>

typedef struct {
    int rank, nodes;
    int first, end; /* the indices first <= i < end of 0 <= i < n are here */
    int mine;       /* how many they are */
} Block;

static inline Block block_of(int n) {
    Block block;
    MPI_Comm_rank(MPI_COMM_WORLD, &block.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &block.nodes);
    const int size = (n + block.nodes - 1) / block.nodes;
    block.first = block.rank * size < n ? block.rank * size : n;
    block.end = block.first + size < n ? block.first + size : n;
    block.mine = block.end - block.first;
    return block;
}

static inline double sum_of_all(double partial) {
    double sum;
    MPI_Allreduce(&partial, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

#endif
