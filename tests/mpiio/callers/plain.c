/* MPI-IO from C: each rank writes its blocks of argv[1] (a view, collective and not), and reads its neighbour's back. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { block = 100, blocks = 5 };

static int size;

static void check(int wrong, const char *what) {
    if (!wrong) return;
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Integer i of the file is i: block k of rank r is number k * size + r. */
static void fill(int *values, int rank) {
    for (int k = 0; k < blocks; k++)
        for (int i = 0; i < block; i++) values[k * block + i] = (k * size + rank) * block + i;
}

int main(int argc, char **argv) {
    int rank, values[block * blocks], expected[block * blocks], count;
    MPI_File file;
    MPI_Datatype pattern;
    MPI_Status status;
    MPI_Offset bytes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fill(values, rank);
    check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "open");
    MPI_Type_vector(blocks, block, block * size, MPI_INT, &pattern);
    MPI_Type_commit(&pattern);
    MPI_File_set_view(file, rank * block * sizeof(int), MPI_INT, pattern, "native", MPI_INFO_NULL);
    check(MPI_File_write_all(file, values, block * (blocks - 1), MPI_INT, &status), "write_all");
    check(MPI_File_write(file, values + block * (blocks - 1), block, MPI_INT, &status), "write");
    MPI_Get_count(&status, MPI_INT, &count);
    check(count != block, "count of write");
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    const int neighbour = (rank + 1) % size;
    MPI_File_set_view(file, neighbour * block * sizeof(int), MPI_INT, pattern, "native", MPI_INFO_NULL);
    fill(expected, neighbour);
    check(MPI_File_read_at_all(file, 0, values, block * blocks, MPI_INT, &status), "read_at_all");
    for (int i = 0; i < block * blocks; i++) check(values[i] != expected[i], "value");
    MPI_File_get_size(file, &bytes);
    check(bytes != (MPI_Offset)(size * block * blocks * sizeof(int)), "size");
    MPI_Type_free(&pattern);
    check(MPI_File_close(&file) || file != MPI_FILE_NULL, "close");
    if (rank == 0) printf("wrote %d integers\n", size * block * blocks);
    MPI_Finalize();
    return 0;
}
