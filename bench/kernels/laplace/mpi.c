/* The same by hand: one block of rows with a halo row on either side, Isend/Irecv of the halo. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "../timing.h"

#ifndef N
#define N 1024
#endif
#ifndef REPEAT
#define REPEAT 300
#endif

static void exchange(int rows, double (*v)[N], int up, int down) {
    MPI_Request requests[4];
    MPI_Irecv(v[0], N, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(v[rows + 1], N, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(v[1], N, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(v[rows], N, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, nodes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    const int size = (N + nodes - 1) / nodes, first = rank * size < N ? rank * size : N;
    const int end = first + size < N ? first + size : N, rows = end - first;
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = end < N ? rank + 1 : MPI_PROC_NULL;
    double(*const u)[N] = calloc(rows + 2, sizeof *u), (*const v)[N] = calloc(rows + 2, sizeof *v);
    for (int j = 1; j <= rows; j++)
        for (int i = 0; i < N; i++) {
            u[j][i] = sin((double)i / N * M_PI) + cos((double)(first + j - 1) / N * M_PI);
            v[j][i] = 0;
        }
    const int inner_first = first == 0 ? 2 : 1, inner_end = end == N ? rows : rows + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int k = 0; k < REPEAT; k++) {
        for (int j = 1; j <= rows; j++)
            for (int i = 0; i < N; i++) v[j][i] = u[j][i];
        exchange(rows, v, up, down);
        for (int j = inner_first; j < inner_end; j++)
            for (int i = 1; i < N - 1; i++) u[j][i] = (v[j - 1][i] + v[j + 1][i] + v[j][i - 1] + v[j][i + 1]) / 4.0;
        end_repetition();
    }
    const double seconds = seconds_now() - start;
    double partial = 0, residual;
    for (int j = inner_first; j < inner_end; j++)
        for (int i = 1; i < N - 1; i++) partial += fabs(u[j][i] - v[j][i]);
    MPI_Allreduce(&partial, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) report(seconds, residual);
    MPI_Finalize();
    return 0;
}
