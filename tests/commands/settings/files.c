/* Each rank writes an integer by MPI-IO and reads its neighbour's. Exit status 1 if a call fails, 2 if the result is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code, const char *what) {
    int class = 0;
    if (code == MPI_SUCCESS) return;
    MPI_Error_class(code, &class);
    printf("%s failed with class %d\n", what, class);
    fflush(stdout);
    MPI_Finalize();
    exit(1);
}

int main(int argc, char **argv) {
    int rank, size, number, sum = 0;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    number = 100 + rank;
    check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file), "open");
    check(MPI_File_write_at_all(file, rank * sizeof number, &number, 1, MPI_INT, MPI_STATUS_IGNORE), "write");
    check(MPI_File_sync(file), "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    check(MPI_File_sync(file), "sync");
    check(MPI_File_read_at_all(file, (rank + 1) % size * sizeof number, &number, 1, MPI_INT, MPI_STATUS_IGNORE), "read");
    check(MPI_File_close(&file), "close");
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %d\n", sum);
    MPI_Finalize();
    return sum == 100 * size + size * (size - 1) / 2 ? 0 : 2;
}
