/* A section of a distributed matrix goes into a netCDF file that whole.c has written: a range says which rows and columns.
 *
 *   xmpcc -o section section.c && xmprun -n 3 ./section whole.nc
 *
 * With MPI each process would compute its part of the section, of which many have none. Written after figure 8 of the same paper. */
#include <stdio.h>
#include <xmp.h>
#include <xmpnc.h>

#define X 6
#define Y 4

#pragma xmp nodes p[*]
#pragma xmp template t[X][Y]
#pragma xmp distribute t[cyclic][*] onto p
int matrix[X][Y];
#pragma xmp align matrix[i][j] with t[i][j]

static void check(int status) {
    if (status == NC_NOERR) return;
#pragma xmp task on p[0]
    fprintf(stderr, "section: %s\n", xmpnc_strerror(status));
    xmp_exit(1);
}

int main(int argc, char **argv) {
    int file, variable;
    if (argc != 2) return 2;
#pragma xmp loop (i, j) on t[i][j]
    for (int i = 0; i < X; i++)
        for (int j = 0; j < Y; j++) matrix[i][j] = -(i * 10 + j);

    xmp_range_t *inner = xmp_allocate_range(2);
    if (inner == NULL) return 1;
    xmp_set_range(inner, 1, 1, 4, 1); /* the rows 1 to 4 */
    xmp_set_range(inner, 2, 1, 2, 1); /* the columns 1 and 2 */
    check(xmpnc_open(xmp_get_mpi_comm(), argv[1], NC_WRITE, MPI_INFO_NULL, &file));
    check(xmpnc_inq_varid(file, "data", &variable));
    check(xmpnc_put_varas_int_all(file, variable, xmp_array_of(matrix), inner));
    check(xmpnc_close(file));
    xmp_free_range(inner);
    return 0;
}
