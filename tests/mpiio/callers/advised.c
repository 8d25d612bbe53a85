/* For `kumihimo files advise`: writes two files (argv[1] and argv[2]), reads them again by an open for reading only, and
 * removes them. With the third argument `threads` two threads of each rank do so at the same time, and ranks begin in different
 * orders: not with MPICH, whose own MPI_File_open holds a lock while it waits for the other ranks. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { block = 1000 };

static int rank, size;

struct job {
    const char* path;
    MPI_Comm comm;
    pthread_t thread;
};

static void check(int wrong, const char* what) {
    if (!wrong) return;
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* work(void* argument) {
    struct job* const job = argument;
    int values[block], found[block];
    MPI_File file;
    for (int i = 0; i < block; i++) values[i] = rank * block + i, found[i] = -1;
    check(MPI_File_open(job->comm, job->path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file), "open to write");
    check(MPI_File_write_at_all(file, rank * sizeof values, values, block, MPI_INT, MPI_STATUS_IGNORE), "write");
    check(MPI_File_close(&file), "close");
    MPI_Barrier(job->comm);
    check(MPI_File_open(job->comm, job->path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "open to read");
    check(MPI_File_read_at_all(file, rank * sizeof found, found, block, MPI_INT, MPI_STATUS_IGNORE), "read");
    check(MPI_File_close(&file), "close");
    for (int i = 0; i < block; i++) check(found[i] != values[i], "value");
    MPI_Barrier(job->comm);
    if (rank == 0) check(unlink(job->path), "unlink");
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    struct job jobs[2];
    const int wanted = argc > 3 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++) {
        jobs[i].path = argv[1 + i];
        MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].comm);
    }
    const int together = wanted == MPI_THREAD_MULTIPLE && provided == wanted;
    for (int i = 0; i < 2; i++) {
        struct job* const job = &jobs[together ? (i + rank) % 2 : i];
        if (together)
            pthread_create(&job->thread, NULL, work, job);
        else
            work(job);
    }
    for (int i = 0; together && i < 2; i++) pthread_join(jobs[i].thread, NULL);
    for (int i = 0; i < 2; i++) MPI_Comm_free(&jobs[i].comm);
    MPI_Finalize();
    return 0;
}
