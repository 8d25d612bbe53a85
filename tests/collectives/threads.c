/* Collective functions by several threads at once, each on communicators of its own (MPI_THREAD_MULTIPLE); compares with what each
 * must give. Prints how many results were right, or that the library has no such thread level. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 60, N = 3000 };
static int rank, ranks;

static void check(int right, const char *function, int thread, int round) {
    if (right) return;
    fprintf(stderr, "rank %d of %d, thread %d: %s: wrong in round %d\n", rank, ranks, thread, function, round);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void one_round(MPI_Comm comm, int thread, int round) {
    static _Thread_local long in[N], out[8 * N];
    const int n = round % 3 == 0 ? N : round % 7 + 1, root = round % ranks;
    for (int i = 0; i < n; ++i) in[i] = (rank + 1) * (thread + 1L) + i + round;
    MPI_Allreduce(in, out, n, MPI_LONG, MPI_SUM, comm);
    for (int i = 0; i < n; ++i)
        check(out[i] == ranks * (ranks + 1) / 2 * (thread + 1L) + ranks * (long)(i + round), "MPI_Allreduce", thread, round);
    MPI_Allgather(in, n, MPI_LONG, out, n, MPI_LONG, comm);
    for (int r = 0; r < ranks; ++r)
        for (int i = 0; i < n; ++i) check(out[r * n + i] == (r + 1) * (thread + 1L) + i + round, "MPI_Allgather", thread, round);
    MPI_Bcast(in, n, MPI_LONG, root, comm);
    for (int i = 0; i < n; ++i) check(in[i] == (root + 1) * (thread + 1L) + i + round, "MPI_Bcast", thread, round);
    MPI_Barrier(comm);
}

struct work {
    MPI_Comm comm;
    int number;
};

static void *work(void *argument) {
    const struct work *mine = argument;
    for (int round = 0; round < ROUNDS; ++round) one_round(mine->comm, mine->number, round);
    MPI_Comm second; /* made and freed while the others communicate */
    MPI_Comm_dup(mine->comm, &second);
    for (int round = 0; round < ROUNDS / 4; ++round) one_round(second, mine->number, round);
    MPI_Comm_free(&second);
    return NULL;
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (level < MPI_THREAD_MULTIPLE) {
        if (rank == 0) printf("no MPI_THREAD_MULTIPLE\n");
        return MPI_Finalize();
    }
    struct work all[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        all[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &all[i].comm);
    }
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, &all[i]);
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&all[i].comm);
    }
    if (rank == 0) printf("%d rounds\n", THREADS * (ROUNDS + ROUNDS / 4));
    return MPI_Finalize();
}
