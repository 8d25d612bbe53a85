/* Small pieces of two ranks in turn: what Catwalk is for. argv: file, pieces of each rank. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[64];
    int rank, ranks;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    memset(line, 'a' + rank, sizeof line);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int k = 0; k < atoi(argv[2]); k++)
        MPI_File_write_at(file, ((MPI_Offset)k * ranks + rank) * 64, line, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    return MPI_Finalize();
}
