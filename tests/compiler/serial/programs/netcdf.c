/* A field to a netCDF file and back, by <xmpnc.h>. */
#include <stdio.h>
#include <xmp.h>
#include <xmpnc.h>

enum { ROWS = 6, COLUMNS = 5 };
float u[ROWS][COLUMNS], v[ROWS][COLUMNS];
#pragma xmp nodes p[*]
#pragma xmp template t[ROWS]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i][*] with t[i]

int main(void) {
    int file = -1, dimensions[2], depth = -1;
#pragma xmp loop on t[i]
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) u[i][j] = 10 * i + j, v[i][j] = -1;
    printf("%d ", xmpnc_create_all("u.nc", NC_CLOBBER, &file));
    printf("%d ", xmpnc_def_dim(file, "y", ROWS, &dimensions[0]));
    printf("%d ", xmpnc_def_dim(file, "x", COLUMNS, &dimensions[1]));
    printf("%d ", xmpnc_def_var(file, "depth", NC_FLOAT, 2, dimensions, &depth));
    printf("%d ", xmpnc_put_att_text(file, depth, "units", 1, "m"));
    printf("%d ", xmpnc_enddef(file));
    printf("%d ", xmpnc_put_vara_float_all(file, depth, xmp_desc_of(u)));
    printf("%d\n", xmpnc_close(file));
    printf("%d ", xmpnc_open_all("u.nc", NC_NOWRITE, &file));
    printf("%d ", xmpnc_inq_varid(file, "depth", &depth));
    printf("%d ", xmpnc_get_vara_float_all(file, depth, xmp_desc_of(v)));
    printf("%d ", xmpnc_get_vara_double_all(file, depth, xmp_desc_of(v)) == NC_EBADTYPE);
    printf("%d\n", xmpnc_close(file));
#pragma xmp loop on t[i]
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) printf("%g%c", v[i][j], j == COLUMNS - 1 ? '\n' : ' ');
    return 0;
}
