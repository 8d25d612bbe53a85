/* Integer Sort by hand: Allreduce of the bucket sizes, Alltoall of counts, Alltoallv of keys. */
#include <mpi.h>

#include "is.h"

static int keys[KEYS], sorted[KEYS], received[KEYS];
static struct ranking ranking;
static int nodes, me, first, count;
static double communication;

/* One ranking; the number of keys that this node ranked. */
static int rank_all(int iteration, int *right) {
    static int counts[BUCKETS + TESTS], totals[BUCKETS + TESTS];
    int begin[MOST_NODES + 1], out[MOST_NODES], out_place[MOST_NODES], in[MOST_NODES], in_place[MOST_NODES];
    change_keys(keys, first, iteration);
    count_buckets(keys, first, count, counts);
    double start = seconds_now();
    MPI_Allreduce(counts, totals, BUCKETS + TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    communication += seconds_now() - start;
    sort_into_buckets(keys, count, counts, sorted);
    deal_buckets(totals, nodes, begin);
    split(counts, begin, nodes, out, out_place);
    start = seconds_now();
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    int mine = 0;
    for (int i = 0; i < nodes; mine += in[i++]) in_place[i] = mine;
    MPI_Alltoallv(sorted, out, out_place, MPI_INT, received, in, in_place, MPI_INT, MPI_COMM_WORLD);
    communication += seconds_now() - start;
    rank_keys(received, mine, totals, begin[me], begin[me + 1], &ranking);
    *right += right_ranks(&ranking, totals + BUCKETS, iteration);
    return mine;
}

/* Whether the last key of the node before is not above my first. */
static int joins(int mine) {
    int last = mine > 0 ? sorted[mine - 1] : ranking.lowest, before = -1;
    MPI_Sendrecv(&last, 1, MPI_INT, me + 1 < nodes ? me + 1 : MPI_PROC_NULL, 0, &before, 1, MPI_INT,
                 me > 0 ? me - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine == 0 || before <= sorted[0];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    first = (int)((long long)KEYS * me / nodes);
    count = (int)((long long)KEYS * (me + 1) / nodes) - first;
    make_keys(keys, first, count);
    int result[2] = {0, 0}, mine = rank_all(1, &result[0]); /* not timed */
    result[0] = 0, communication = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int iteration = 1; iteration <= ITERATIONS; iteration++) mine = rank_all(iteration, &result[0]);
    const double seconds = seconds_now() - start, waited = communication;
    result[1] = fully_sorted(received, mine, &ranking, sorted);
    result[1] = joins(mine) && result[1];
    MPI_Allreduce(MPI_IN_PLACE, result, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int verified = result[0] == TESTS * ITERATIONS && result[1] == nodes;
    if (me == 0) nas_report(seconds, result[0], waited, verified);
    MPI_Finalize();
    return !verified;
}
