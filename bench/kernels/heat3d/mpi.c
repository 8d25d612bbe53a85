/* The same by hand: planes 1 to `mine` are this process's, planes 0 and mine + 1 its neighbours'. */
#include <stdlib.h>

#include "../blocks.h"
#include "../timing.h"

#ifndef N
#define N 128
#endif
#ifndef REPEAT
#define REPEAT 40
#endif

#define SECOND(u, i, j, k, di, dj, dk) (u[(i) + di][(j) + dj][(k) + dk] - 2.0 * u[i][j][k] + u[(i) - di][(j) - dj][(k) - dk])
#define HEAT(u, i, j, k) \
    (0.125 * SECOND(u, i, j, k, 1, 0, 0) + 0.125 * SECOND(u, i, j, k, 0, 1, 0) + 0.125 * SECOND(u, i, j, k, 0, 0, 1) + u[i][j][k])

typedef double Plane[N][N];

static void exchange(Plane *u, int mine, int up, int down) {
    MPI_Request requests[4];
    MPI_Irecv(u[0], N * N, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(u[mine + 1], N * N, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(u[1], N * N, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(u[mine], N * N, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void sweep(Plane *restrict to, Plane *restrict from, int first, int end) {
    for (int i = first; i < end; i++)
        for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++) to[i][j][k] = HEAT(from, i, j, k);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const Block block = block_of(N);
    const int mine = block.mine, up = block.first > 0 ? block.rank - 1 : MPI_PROC_NULL;
    const int down = block.end < N ? block.rank + 1 : MPI_PROC_NULL;
    Plane *const a = calloc(mine + 2, sizeof *a), *const b = calloc(mine + 2, sizeof *b);
    for (int l = 1; l <= mine; l++)
        for (int j = 0, i = block.first + l - 1; j < N; j++)
            for (int k = 0; k < N; k++) a[l][j][k] = b[l][j][k] = (double)(i + j + (N - k)) * 10 / N;
    const int first = block.first == 0 ? 2 : 1, end = block.end == N ? mine : mine + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int turn = 0; turn < REPEAT; turn++) {
        exchange(a, mine, up, down);
        sweep(b, a, first, end);
        exchange(b, mine, up, down);
        sweep(a, b, first, end);
        end_repetition();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0;
    for (int l = 1; l <= mine; l++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) partial += a[l][j][k];
    const double sum = sum_of_all(partial);
    if (block.rank == 0) report(seconds, sum);
    MPI_Finalize();
    return 0;
}
