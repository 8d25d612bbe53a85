/* Two files at a time, each of one half of the ranks; before, if argv[1] is "all", one of all ranks. In the directory argv[2].
 * While both are open the file "open" is there, and the ranks wait for the file "go". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *directory;

static const char *path_of(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static MPI_File opened(MPI_Comm comm, const char *name) {
    MPI_File file;
    MPI_File_open(comm, path_of(name), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    return file;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Comm half;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    directory = argv[2];
    if (strcmp(argv[1], "all") == 0) {
        file = opened(MPI_COMM_WORLD, "all");
        MPI_File_close(&file);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    file = opened(half, rank / 2 == 0 ? "low" : "high");
    MPI_File_write_at(file, rank % 2 * (int)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) fclose(fopen(path_of("open"), "w"));
    while (access(path_of("go"), F_OK) != 0) usleep(1000);
    MPI_File_close(&file);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
