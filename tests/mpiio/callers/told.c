/* Opens the file that is named: each rank tells the error's class and text on a line of standard output, or that there is none. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, class = MPI_SUCCESS, length = 0;
    char text[MPI_MAX_ERROR_STRING + 1] = "", line[MPI_MAX_ERROR_STRING + 64];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File file;
    const int code = MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    snprintf(line, sizeof line, "rank %d: %s %s\n", rank, class == MPI_SUCCESS ? "none" : "failed", text);
    fputs(line, stdout);
    if (code == MPI_SUCCESS) MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
