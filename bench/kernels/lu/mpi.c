/* The same by hand: column j is column j / nodes of process j % nodes. */
#include <math.h>
#include <stdlib.h>

#include "../blocks.h"
#include "../timing.h"

#ifndef N
#define N 1024
#endif

static int nodes, rank;

static int eliminate(int k, double (*a)[N], double *column) {
    int pivot = k;
    if (k % nodes == rank) {
        double *const own = a[k / nodes];
        for (int i = k + 1; i < N; i++)
            if (fabs(own[i]) > fabs(own[pivot])) pivot = i;
        const double largest = own[pivot];
        own[pivot] = own[k];
        own[k] = largest;
        for (int i = k + 1; i < N; i++) column[i] = own[i] /= largest;
    }
    MPI_Bcast(&pivot, 1, MPI_INT, k % nodes, MPI_COMM_WORLD);
    MPI_Bcast(column, N, MPI_DOUBLE, k % nodes, MPI_COMM_WORLD);
    return pivot;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    static double column[N];
    double(*const a)[N] = malloc((N / nodes + 1) * sizeof *a);
    for (int j = rank; j < N; j += nodes)
        for (int i = 0; i < N; i++) a[j / nodes][i] = sin(1.0 + i * 1.7 + j * 0.3 + (double)i * j) + (i == j) * 0.5;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int k = 0; k < N - 1; k++) {
        const int pivot = eliminate(k, a, column);
        for (int l = (k + nodes - rank) / nodes; l * nodes + rank < N; l++) {
            double *const other = a[l], factor = other[pivot];
            other[pivot] = other[k];
            other[k] = factor;
            for (int i = k + 1; i < N; i++) other[i] -= factor * column[i];
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0;
    for (int j = rank; j < N; j += nodes) partial += log(fabs(a[j / nodes][j]));
    const double logarithm = sum_of_all(partial);
    if (rank == 0) report(seconds, logarithm);
    MPI_Finalize();
    return 0;
}
