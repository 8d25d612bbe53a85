/* Conjugate Gradient by hand: one message each way in every step of the sums along the row. Compile with -DNODES=n. */
#include <mpi.h>

#include "cg.h"

static MPI_Comm row_of_nodes;
static double w[BLOCK_ROWS];

static double total(double value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, row_of_nodes);
    return value;
}

static void exchange(const double *out, double *in, int count, int partner) {
    MPI_Request request;
    MPI_Irecv(in, count, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &request);
    MPI_Send(out, count, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sum_products(double *products, double *to) {
    static double in[BLOCK_COLUMNS];
    for (int s = 0; s < step_count; s++) {
        const struct step *const step = &steps[s];
        exchange(products + step->give, in, step->count, step->partner);
        for (int i = 0; i < step->count; i++) products[step->take + i] += in[i];
    }
    const int me = node_at(my_row, my_column), mine = WIDE ? my_column % 2 * BLOCK_COLUMNS : 0;
    if (holder == me)
        memcpy(to, products + held_from, BLOCK_COLUMNS * sizeof(double));
    else
        exchange(products + mine, to, BLOCK_COLUMNS, holder);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int me, nodes;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    if (nodes != NODES) {
        if (me == 0) fprintf(stderr, "cg: compiled for %d nodes\n", NODES);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_split(MPI_COMM_WORLD, me / COLUMNS, me, &row_of_nodes);
    prepare(me, w);
    double zeta = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int i = 0; i < OUTER; i++) zeta = improve(w);
    const double seconds = seconds_now() - start;
    if (me == 0) nas_report(seconds, zeta, communication, verified(zeta));
    MPI_Finalize();
    return !verified(zeta);
}
