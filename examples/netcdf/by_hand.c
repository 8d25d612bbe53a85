/* A distributed matrix in a netCDF file by MPI and PnetCDF: each process computes where its block lies.
 *
 *   mpicc -o by_hand by_hand.c -lpnetcdf && mpiexec -n 4 ./by_hand by_hand.nc
 *
 * whole.c writes the same file with XcalableMP, which knows where the blocks lie. Written after figure 6 of T. Nakamura and
 * M. Sato, "Parallel I/O Facility of PGAS Programming Language XcalableMP", which compares the two. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { X = 3, Y = 2, X_PROCESSES = 2, Y_PROCESSES = 2 }; /* the block of a process, and the grid of processes */

static void check(int status) {
    if (status == NC_NOERR) return;
    fprintf(stderr, "by_hand: %s\n", ncmpi_strerror(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    int rank, processes, file, variable, dimensions[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (processes != X_PROCESSES * Y_PROCESSES || argc != 2) {
        if (rank == 0) fprintf(stderr, "usage: mpiexec -n %d ./by_hand FILE\n", X_PROCESSES * Y_PROCESSES);
        MPI_Finalize();
        return 2;
    }
    const MPI_Offset start[2] = {rank / Y_PROCESSES * X, rank % Y_PROCESSES * Y}, count[2] = {X, Y};
    int block[X][Y];
    for (int i = 0; i < X; i++)
        for (int j = 0; j < Y; j++) block[i][j] = (int)((start[0] + i) * 10 + start[1] + j);

    check(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &file));
    check(ncmpi_def_dim(file, "x", X * X_PROCESSES, &dimensions[0]));
    check(ncmpi_def_dim(file, "y", Y * Y_PROCESSES, &dimensions[1]));
    check(ncmpi_def_var(file, "data", NC_INT, 2, dimensions, &variable));
    check(ncmpi_enddef(file));
    check(ncmpi_put_vara_int_all(file, variable, start, count, &block[0][0]));
    check(ncmpi_close(file));
    MPI_Finalize();
    return 0;
}
