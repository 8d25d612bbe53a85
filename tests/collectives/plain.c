/* A program that knows nothing of Kumihimo: every collective function with blocking semantics, with predefined and derived types (a
 * different one on each rank), in place, on all ranks and on halves of them; compares with what each must give. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 600 };
static int rank, ranks, checks;
static MPI_Comm comm;
static MPI_Datatype gaps; /* an int and a gap of the same size */

static void check(int right, const char *function, int i) {
    if (!right) {
        fprintf(stderr, "rank %d of %d: %s: wrong at %d\n", rank, ranks, function, i);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    ++checks;
}

static int ranks_of_world(void) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static int value(int from, int to, int i) {
    return from * 100000 + to * 1000 + i % 1000;
}

/* This rank's type of ints, and how many ints apart its elements are. */
static MPI_Datatype my_type(int *stride) {
    *stride = rank % 2 + 1;
    return rank % 2 ? gaps : MPI_INT;
}

static void test_bcast(int root, int n) {
    int data[2 * N], stride;
    MPI_Datatype type = my_type(&stride);
    for (int i = 0; i < 2 * N; ++i) data[i] = rank == root ? value(root, 0, i / stride) : -1;
    MPI_Bcast(data, n, type, root, comm);
    for (int i = 0; i < n; ++i) check(data[i * stride] == value(root, 0, i), "MPI_Bcast", i);
    for (int i = 0; i < n && stride == 2 && rank != root; ++i) check(data[2 * i + 1] == -1, "MPI_Bcast's gaps", i);
}

static void test_reductions(int root, int n) {
    double in[N], out[N], sum = 0;
    for (int r = 0; r < ranks; ++r) sum += r + 1;
    for (int i = 0; i < n; ++i) in[i] = (rank + 1) * (double)(i + 1), out[i] = -1;
    MPI_Reduce(in, rank == root ? out : NULL, n, MPI_DOUBLE, MPI_SUM, root, comm);
    for (int i = 0; i < n && rank == root; ++i) check(out[i] == sum * (i + 1), "MPI_Reduce", i);
    MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; ++i) check(out[i] == sum * (i + 1), "MPI_Allreduce", i);
    MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_MAX, comm);
    for (int i = 0; i < n; ++i) check(in[i] == ranks * (double)(i + 1), "MPI_Allreduce in place", i);
    struct { int value, place; } mine = {100 - rank, rank}, least;
    MPI_Allreduce(&mine, &least, 1, MPI_2INT, MPI_MINLOC, comm);
    check(least.place == ranks - 1 && least.value == 100 - least.place, "MPI_MINLOC", 0);
}

static void test_reduce_scatter(int n) {
    int *in = malloc(sizeof(int) * ranks * (N + 8)), out[N + 8], counts[64], start = 0;
    for (int i = 0; i < ranks * (N + 8); ++i) in[i] = rank + i;
    MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < n; ++i) check(out[i] == ranks * (ranks - 1) / 2 + ranks * (rank * n + i), "MPI_Reduce_scatter_block", i);
    for (int r = 0; r < ranks; ++r) counts[r] = n + r % 8, start += r < rank ? counts[r] : 0;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < counts[rank]; ++i) check(out[i] == ranks * (ranks - 1) / 2 + ranks * (start + i), "MPI_Reduce_scatter", i);
    free(in);
}

static void test_gathers(int root, int n) {
    int *all = malloc(sizeof(int) * 2 * ranks * (N + 8)), mine[2 * N + 16], counts[64], places[64], stride;
    MPI_Datatype type = my_type(&stride);
    for (int i = 0; i < 2 * N + 16; ++i) mine[i] = value(rank, 0, i / stride);
    MPI_Gather(mine, n, type, all, n, MPI_INT, root, comm);
    for (int i = 0; i < ranks * n && rank == root; ++i) check(all[i] == value(i / n, 0, i % n), "MPI_Gather", i);
    MPI_Allgather(mine, n, type, all, n, gaps, comm);
    for (int i = 0; i < ranks * n; ++i) check(all[2 * i] == value(i / n, 0, i % n), "MPI_Allgather", i);
    for (int r = 0; r < ranks; ++r) counts[r] = n / (r + 1), places[r] = (ranks - 1 - r) * (N + 1);
    MPI_Gatherv(mine, counts[rank], type, all, counts, places, MPI_INT, root, comm);
    for (int r = 0; r < ranks && rank == root; ++r)
        for (int i = 0; i < counts[r]; ++i) check(all[places[r] + i] == value(r, 0, i), "MPI_Gatherv", i);
    for (int i = 0; i < counts[rank]; ++i) all[places[rank] + i] = value(rank, 7, i);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, comm);
    for (int r = 0; r < ranks; ++r)
        for (int i = 0; i < counts[r]; ++i) check(all[places[r] + i] == value(r, 7, i), "MPI_Allgatherv", i);
    free(all);
}

static void test_scatters(int root, int n) {
    int *all = malloc(sizeof(int) * ranks * (N + 8)), mine[2 * N + 16], counts[64], places[64], stride;
    MPI_Datatype type = my_type(&stride);
    for (int i = 0; i < ranks * n; ++i) all[i] = value(root, i / n, i % n);
    MPI_Scatter(all, n, MPI_INT, rank == root ? MPI_IN_PLACE : (void *)mine, n, type, root, comm);
    for (int i = 0; i < n && rank != root; ++i) check(mine[i * stride] == value(root, rank, i), "MPI_Scatter", i);
    for (int r = 0; r < ranks; ++r) counts[r] = n / (r + 1), places[r] = (ranks - 1 - r) * (N + 1);
    for (int r = 0; r < ranks; ++r)
        for (int i = 0; i < counts[r]; ++i) all[places[r] + i] = value(root, r, i);
    MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[rank], type, root, comm);
    for (int i = 0; i < counts[rank]; ++i) check(mine[i * stride] == value(root, rank, i), "MPI_Scatterv", i);
    free(all);
}

static void test_alltoalls(int n) {
    int *out = malloc(sizeof(int) * ranks * (N + 8)), *in = malloc(sizeof(int) * 2 * ranks * (N + 8));
    int sent[64], from[64], got[64], to[64], stride;
    MPI_Datatype type = my_type(&stride);
    for (int i = 0; i < ranks * n; ++i) out[i] = value(rank, i / n, i % n);
    MPI_Alltoall(out, n, MPI_INT, in, n, type, comm);
    for (int i = 0; i < ranks * n; ++i) check(in[i * stride] == value(i / n, rank, i % n), "MPI_Alltoall", i);
    for (int r = 0; r < ranks; ++r)
        sent[r] = n / (1 + (rank + 2 * r) % 5), from[r] = r * N, got[r] = n / (1 + (r + 2 * rank) % 5), to[r] = (ranks - 1 - r) * N;
    for (int r = 0; r < ranks; ++r)
        for (int i = 0; i < sent[r]; ++i) out[from[r] + i] = value(rank, r, i);
    MPI_Alltoallv(out, sent, from, MPI_INT, in, got, to, type, comm);
    for (int r = 0; r < ranks; ++r)
        for (int i = 0; i < got[r]; ++i) check(in[(to[r] + i) * stride] == value(r, rank, i), "MPI_Alltoallv", i);
    free(out);
    free(in);
}

/* Calls that look alike to most ranks, while the blocks of one become longer and shorter. */
static void test_others_sizes(int root) {
    enum { SHORT = 3, LONG = 5000 }; /* longer than what travels with others in two levels */
    static const int of_one[] = {SHORT, 1, LONG, SHORT, 0, LONG, SHORT, SHORT};
    int *all = malloc(sizeof(int) * ranks * LONG), *mine = malloc(sizeof(int) * LONG), counts[64], places[64];
    for (int k = 0; k < 8; ++k) {
        for (int r = 0; r < ranks; ++r) counts[r] = r == ranks / 2 ? of_one[k] : SHORT, places[r] = r ? places[r - 1] + counts[r - 1] : 0;
        for (int i = 0; i < counts[rank]; ++i) mine[i] = value(rank, k, i);
        MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, root, comm);
        for (int r = 0; r < ranks && rank == root; ++r)
            for (int i = 0; i < counts[r]; ++i) check(all[places[r] + i] == value(r, k, i), "MPI_Gatherv of changing sizes", i);
        for (int i = 0; i < counts[rank]; ++i) mine[i] = -1;
        MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[rank], MPI_INT, root, comm);
        for (int i = 0; i < counts[rank]; ++i) check(mine[i] == value(rank, k, i), "MPI_Scatterv of changing sizes", i);
    }
    free(all);
    free(mine);
}

/* A message that the other rank wants before it comes to the barrier goes on while this one waits there (MPI-4.0 3.7.4). */
static void test_progress(void) {
    enum { LONG = 1 << 20 };
    char *data = calloc(LONG, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0 && ranks > 1) MPI_Isend(data, LONG, MPI_CHAR, ranks - 1, 5, comm, &request);
    if (rank == ranks - 1 && ranks > 1) MPI_Recv(data, LONG, MPI_CHAR, 0, 5, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(data);
}

static void test_all(void) {
    const int sizes[] = {0, 1, 37, N};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int k = 0; k < 4; ++k)
        for (int root = 0; root < ranks; root += ranks > 1 ? ranks - 1 : 1) {
            test_bcast(root, sizes[k]);
            test_reductions(root, sizes[k]);
            test_reduce_scatter(sizes[k]);
            test_gathers(root, sizes[k]);
            test_scatters(root, sizes[k]);
            test_alltoalls(sizes[k]);
            MPI_Barrier(comm);
        }
    for (int root = 0; root < ranks; root += ranks > 1 ? ranks - 1 : 1) test_others_sizes(root);
    test_progress();
    /* What is wrong is the MPI library's to say. */
    int data = 0;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check(MPI_Bcast(&data, 1, MPI_INT, ranks, comm) != MPI_SUCCESS, "MPI_Bcast with a wrong root", 0);
}

int main(int argc, char **argv) {
    int provided, world;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &world);
    test_all();
    for (int i = 0; i < 3; ++i) { /* communicators come and go */
        MPI_Comm_split(MPI_COMM_WORLD, world % 2, -world, &comm);
        test_all();
        MPI_Comm_free(&comm);
    }
    MPI_Type_free(&gaps);
    if (argc > 1) { /* the last rank dies, the others wait for it */
        if (world == ranks_of_world() - 1) raise(SIGKILL);
        for (;;) MPI_Barrier(MPI_COMM_WORLD);
    }
    if (world == 0) printf("%d checks\n", checks);
    MPI_Finalize();
    return 0;
}
