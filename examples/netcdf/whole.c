/* A distributed matrix in a netCDF file: the descriptor of the array says which node has what.
 *
 *   xmpcc -o whole whole.c && xmprun -n 4 ./whole whole.nc
 *
 * by_hand.c writes the same file with MPI, for one grid of processes. Here another distribution or number of nodes changes nothing
 * below the directives. Written after figure 7 of the same paper. */
#include <stdio.h>
#include <xmp.h>
#include <xmpnc.h>

#define X 6
#define Y 4

#pragma xmp nodes p[2][*] /* an even number of nodes */
#pragma xmp template t[X][Y]
#pragma xmp distribute t[block][block] onto p
int matrix[X][Y];
#pragma xmp align matrix[i][j] with t[i][j]

static void check(int status) {
    if (status == NC_NOERR) return;
#pragma xmp task on p[0][0]
    fprintf(stderr, "whole: %s\n", xmpnc_strerror(status));
    xmp_exit(1);
}

int main(int argc, char **argv) {
    const xmp_array_t array = xmp_array_of(matrix);
    int file, variable, dimensions[2];
    if (argc != 2) return 2;
#pragma xmp loop (i, j) on t[i][j]
    for (int i = 0; i < X; i++)
        for (int j = 0; j < Y; j++) matrix[i][j] = i * 10 + j;

    check(xmpnc_create(xmp_get_mpi_comm(), argv[1], NC_CLOBBER, MPI_INFO_NULL, &file));
    check(xmpnc_def_dim(file, "x", X, &dimensions[0]));
    check(xmpnc_def_dim(file, "y", Y, &dimensions[1]));
    check(xmpnc_def_var(file, "data", NC_INT, 2, dimensions, &variable));
    check(xmpnc_enddef(file));
    check(xmpnc_put_vara_int_all(file, variable, array));
    check(xmpnc_close(file));
    return 0;
}
