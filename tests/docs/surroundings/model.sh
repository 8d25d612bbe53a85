# ./model: an MPI program that writes a file of its own by MPI-IO, by all ranks together, and says so.
cat >model.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, size;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File_open(MPI_COMM_WORLD, argc > 1 ? argv[1] : "model.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int step = 0; step < 100; step++)
        MPI_File_write_at_all(file, ((MPI_Offset)step * size + rank) * sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (rank == 0) printf("%d ranks wrote 100 steps\n", size);
    return MPI_Finalize();
}
END
mpicc model.c -o model
