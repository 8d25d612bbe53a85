/* Collective operations whose results are known. Exit status 2 if one is wrong. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, sum = 0, wrong = 0, word;
    double all[64], mine;
    (void)argc, (void)argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 20; i++) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != size * (size - 1) / 2;
        word = rank == 0 ? 100 + i : 0;
        MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
        wrong += word != 100 + i;
        mine = rank + 0.5;
        MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        wrong += all[size - 1] != size - 0.5;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong %d\n", sum);
    MPI_Finalize();
    return sum == 0 ? 0 : 2;
}
