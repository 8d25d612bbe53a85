/* The same by hand: one Bcast of row k. */
#include <stdlib.h>
#include <string.h>

#include "../blocks.h"
#include "../timing.h"

#ifndef N
#define N 700
#endif

static int row[N];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const Block block = block_of(N);
    const int size = (N + block.nodes - 1) / block.nodes;
    int(*const path)[N] = malloc(block.mine * sizeof *path);
    for (int l = 0; l < block.mine; l++)
        for (int j = 0, i = block.first + l; j < N; j++)
            path[l][j] = (i + j) % 13 == 0 || (i + j) % 7 == 0 || (i + j) % 11 == 0 ? 999 : i * j % 7 + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int k = 0; k < N; k++) {
        if (k / size == block.rank) memcpy(row, path[k - block.first], sizeof row);
        MPI_Bcast(row, N, MPI_INT, k / size, MPI_COMM_WORLD);
        for (int i = 0; i < block.mine; i++) {
            const int to_k = path[i][k];
            for (int j = 0; j < N; j++) path[i][j] = path[i][j] < to_k + row[j] ? path[i][j] : to_k + row[j];
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0;
    for (int i = 0; i < block.mine; i++)
        for (int j = 0; j < N; j++) partial += path[i][j];
    const double sum = sum_of_all(partial);
    if (block.rank == 0) report(seconds, sum);
    MPI_Finalize();
    return 0;
}
