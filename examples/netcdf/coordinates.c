/* A field on a map, as programs for maps read it: coordinate variables and attributes after the CF conventions.
 *
 *   xmpcc -O3 -o coordinates coordinates.c -lm && xmprun -n 4 ./coordinates        writes coordinates.nc
 *
 * A coordinate variable has the name of its dimension. Here the coordinates are arrays of their own, which follow one direction of the
 * template: several nodes hold each element, and one of them writes it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#include <xmpnc.h>

#define ROWS 36
#define COLUMNS 72

#pragma xmp nodes p[*][2]
#pragma xmp template map[ROWS][COLUMNS]
#pragma xmp distribute map[block][cyclic(8)] onto p
float temperature[ROWS][COLUMNS];
double latitude[ROWS], longitude[COLUMNS];
#pragma xmp align temperature[j][i] with map[j][i]
#pragma xmp align latitude[j] with map[j][*]
#pragma xmp align longitude[i] with map[*][i]

static void check(int status) {
    if (status == NC_NOERR) return;
#pragma xmp task on p[0][0]
    fprintf(stderr, "coordinates.nc: %s\n", xmpnc_strerror(status));
    xmp_exit(1);
}

static void describe(int file, int variable, const char *name, const char *value) {
    check(xmpnc_put_att_text(file, variable, name, (MPI_Offset)strlen(value), value));
}

/* Dimensions and variables have the lengths and the types of the arrays. */
static int define(int file, const char *name, xmp_desc_t array, int rank, const char *const dimensions[], const char *units) {
    int variable;
    check(xmpnc_def_var_of(file, name, NC_NAT, array, rank, dimensions, &variable));
    describe(file, variable, "standard_name", name);
    describe(file, variable, "units", units);
    return variable;
}

int main(void) {
    const char *const dimensions[] = {"latitude", "longitude"};
    int file;
    check(xmpnc_create_all("coordinates.nc", NC_CLOBBER, &file));
    const int of_latitude = define(file, "latitude", xmp_desc_of(latitude), 1, dimensions, "degrees_north");
    const int of_longitude = define(file, "longitude", xmp_desc_of(longitude), 1, dimensions + 1, "degrees_east");
    const int of_temperature = define(file, "air_temperature", xmp_desc_of(temperature), 2, dimensions, "K");
    describe(file, NC_GLOBAL, "Conventions", "CF-1.8");
    describe(file, NC_GLOBAL, "history", "written by an example of Kumihimo");
    describe(file, NC_GLOBAL, "title", "A warm equator");
    check(xmpnc_enddef(file));

#pragma xmp loop (j) on map[j][*]
    for (int j = 0; j < ROWS; j++) latitude[j] = -87.5 + 5 * j;
#pragma xmp loop (i) on map[*][i]
    for (int i = 0; i < COLUMNS; i++) longitude[i] = 2.5 + 5 * i;
#pragma xmp loop (j, i) on map[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            temperature[j][i] = (float)(300 - latitude[j] * latitude[j] / 150 + cos(longitude[i] * 0.0174532925199433));
    check(xmpnc_put_var_double_all(file, of_latitude, xmp_desc_of(latitude)));
    check(xmpnc_put_var_double_all(file, of_longitude, xmp_desc_of(longitude)));
    check(xmpnc_put_var_float_all(file, of_temperature, xmp_desc_of(temperature)));
    check(xmpnc_close(file));
    return 0;
}
