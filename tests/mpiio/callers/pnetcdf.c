/* PnetCDF: a variable of size x 500 integers, row r written by rank r; a second run with argument `read` checks it. Argument
   `new`: as the first, but no file is overwritten. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 500 };

static void check(int code, const char* what) {
    if (code == NC_NOERR) return;
    fprintf(stderr, "%s: %s\n", what, ncmpi_strerror(code));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
    int rank, size, dataset, dimensions[2], variable, values[n];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const MPI_Offset start[2] = {rank, 0}, count[2] = {1, n};
    const int reading = argc > 2 && strcmp(argv[2], "read") == 0, mode = argc > 2 ? NC_NOCLOBBER : NC_CLOBBER;
    if (reading) {
        check(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &dataset), "open");
        check(ncmpi_inq_varid(dataset, "v", &variable), "variable");
        check(ncmpi_get_vara_int_all(dataset, variable, start, count, values), "get");
        for (int i = 0; i < n; i++)
            if (values[i] != rank * n + i) MPI_Abort(MPI_COMM_WORLD, 2);
    } else {
        for (int i = 0; i < n; i++) values[i] = rank * n + i;
        check(ncmpi_create(MPI_COMM_WORLD, argv[1], mode, MPI_INFO_NULL, &dataset), "create");
        check(ncmpi_def_dim(dataset, "y", size, &dimensions[0]), "dimension");
        check(ncmpi_def_dim(dataset, "x", n, &dimensions[1]), "dimension");
        check(ncmpi_def_var(dataset, "v", NC_INT, 2, dimensions, &variable), "variable");
        check(ncmpi_enddef(dataset), "enddef");
        check(ncmpi_put_vara_int_all(dataset, variable, start, count, values), "put");
    }
    check(ncmpi_close(dataset), "close");
    if (rank == 0) printf("%s %d integers\n", reading ? "read" : "wrote", size * n);
    MPI_Finalize();
    return 0;
}
