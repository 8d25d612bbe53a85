/* The same by hand: one block of planes with a halo plane on either side, Isend/Irecv of the halo. */
#include <mpi.h>
#include <stdlib.h>

#include "../timing.h"

#ifndef NZ
#define NZ 64
#endif
#ifndef NY
#define NY 64
#endif
#ifndef NX
#define NX 128
#endif
#ifndef REPEAT
#define REPEAT 100
#endif

typedef float Plane[NY][NX];
static Plane *p, *work, *bound, *source, *a0, *a1, *a2, *a3, *b0, *b1, *b2, *c0, *c1, *c2;

static Plane *planes(int count) { return calloc(count, sizeof(Plane)); }

static void exchange(int depth, int up, int down) {
    MPI_Request requests[4];
    MPI_Irecv(p[0], NY * NX, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(p[depth + 1], NY * NX, MPI_FLOAT, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(p[1], NY * NX, MPI_FLOAT, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(p[depth], NY * NX, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* Pointers as const locals, as the compiler wants them; ivdep because they never overlap. */
static void sweep(int first, int end, float omega) {
    Plane *const p_ = p, *const work_ = work, *const bound_ = bound, *const source_ = source;
    Plane *const a0_ = a0, *const a1_ = a1, *const a2_ = a2, *const a3_ = a3, *const b0_ = b0, *const b1_ = b1, *const b2_ = b2;
    Plane *const c0_ = c0, *const c1_ = c1, *const c2_ = c2;
    for (int k = first; k < end; k++)
        for (int j = 1; j < NY - 1; j++)
#pragma GCC ivdep
            for (int i = 1; i < NX - 1; i++) {
                const float s0 = a0_[k][j][i] * p_[k + 1][j][i] + a1_[k][j][i] * p_[k][j + 1][i] + a2_[k][j][i] * p_[k][j][i + 1] +
                                 b0_[k][j][i] * (p_[k + 1][j + 1][i] - p_[k + 1][j - 1][i] - p_[k - 1][j + 1][i] + p_[k - 1][j - 1][i]) +
                                 b1_[k][j][i] * (p_[k][j + 1][i + 1] - p_[k][j - 1][i + 1] - p_[k][j + 1][i - 1] + p_[k][j - 1][i - 1]) +
                                 b2_[k][j][i] * (p_[k + 1][j][i + 1] - p_[k - 1][j][i + 1] - p_[k + 1][j][i - 1] + p_[k - 1][j][i - 1]) +
                                 c0_[k][j][i] * p_[k - 1][j][i] + c1_[k][j][i] * p_[k][j - 1][i] + c2_[k][j][i] * p_[k][j][i - 1] +
                                 source_[k][j][i];
                const float difference = (s0 * a3_[k][j][i] - p_[k][j][i]) * bound_[k][j][i];
                work_[k][j][i] = p_[k][j][i] + omega * difference;
            }
    for (int k = first; k < end; k++)
        for (int j = 1; j < NY - 1; j++)
#pragma GCC ivdep
            for (int i = 1; i < NX - 1; i++) p_[k][j][i] = work_[k][j][i];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, nodes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    const int size = (NZ + nodes - 1) / nodes, first = rank * size < NZ ? rank * size : NZ;
    const int end = first + size < NZ ? first + size : NZ, depth = end - first;
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = end < NZ ? rank + 1 : MPI_PROC_NULL;
    Plane **const all[] = {&p, &work, &bound, &source, &a0, &a1, &a2, &a3, &b0, &b1, &b2, &c0, &c1, &c2};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) *all[n] = planes(depth + 2);
    for (int k = 1; k <= depth; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                const int global = first + k - 1;
                p[k][j][i] = (float)(global * global) / (float)((NZ - 1) * (NZ - 1));
                work[k][j][i] = source[k][j][i] = 0;
                bound[k][j][i] = a0[k][j][i] = a1[k][j][i] = a2[k][j][i] = c0[k][j][i] = c1[k][j][i] = c2[k][j][i] = 1;
                a3[k][j][i] = 1.0f / 6.0f;
                b0[k][j][i] = b1[k][j][i] = b2[k][j][i] = 0;
            }
    const int inner_first = first == 0 ? 2 : 1, inner_end = end == NZ ? depth : depth + 1;
    exchange(depth, up, down);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int step = 0; step < REPEAT; step++) {
        sweep(inner_first, inner_end, 0.8f);
        exchange(depth, up, down);
        end_repetition();
    }
    const double seconds = seconds_now() - start;
    double partial = 0, residual;
    for (int k = 1; k <= depth; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) partial += p[k][j][i];
    MPI_Allreduce(&partial, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) report(seconds, residual);
    MPI_Finalize();
    return 0;
}
