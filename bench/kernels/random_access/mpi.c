/* The same by hand: accumulates through a window, completed in batches. */
#include <mpi.h>
#include <stdint.h>

#include "../timing.h"

#ifndef WORDS
#define WORDS (1 << 20)
#endif
#ifndef UPDATES
#define UPDATES (1 << 20)
#endif
#define BATCH 1024 /* what HPCC allows a process to look ahead */

static uint64_t next(uint64_t value) { return value << 1 ^ ((int64_t)value < 0 ? 7 : 0); }

static uint64_t starting(uint64_t number) {
    uint64_t value = 1;
    for (uint64_t n = 0; n < number; n++) value = next(value);
    return value;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, nodes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    const uint64_t each = WORDS / nodes, updates = UPDATES / nodes;
    uint64_t *table;
    MPI_Win window;
    MPI_Win_allocate(each * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    for (uint64_t i = 0; i < each; i++) table[i] = rank * each + i;
    uint64_t values[BATCH], value = starting(rank * updates);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (uint64_t n = 0; n < updates; n++) {
        value = next(value);
        values[n % BATCH] = value;
        const uint64_t index = value & (WORDS - 1);
        MPI_Accumulate(&values[n % BATCH], 1, MPI_UINT64_T, index / each, index % each, 1, MPI_UINT64_T, MPI_BXOR, window);
        if (n % BATCH == BATCH - 1) MPI_Win_flush_local_all(window);
    }
    MPI_Win_flush_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    const double seconds = seconds_now() - start;
    uint64_t partial = 0, sum;
    for (uint64_t i = 0; i < each; i++) partial ^= table[i] * (rank * each + i + 1);
    MPI_Allreduce(&partial, &sum, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    if (rank == 0) report(seconds, (double)(sum >> 12));
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
