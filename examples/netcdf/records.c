/* Record variables: each run appends what it has measured to the same file, several variables in one operation.
 *
 *   xmpcc -o records records.c && xmprun -n 4 ./records && xmprun -n 3 ./records        writes records.nc, then appends
 *
 * All record variables grow together along the unlimited dimension. At the end the program reads one variable as a whole, all records,
 * with the dimensions turned: one row for each station. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#include <xmpnc.h>

#define STATIONS 10
#define RECORDS 3 /* of one run */
#define MOST 60

#pragma xmp nodes p[*]
#pragma xmp template land[STATIONS]
#pragma xmp distribute land[cyclic] onto p
float temperature[STATIONS], pressure[STATIONS], course[STATIONS][MOST];
#pragma xmp align temperature[s] with land[s]
#pragma xmp align pressure[s] with land[s]
#pragma xmp align course[s][*] with land[s]

static void check(int status) {
    if (status == NC_NOERR) return;
#pragma xmp task on p[0]
    fprintf(stderr, "records.nc: %s\n", xmpnc_strerror(status));
    xmp_exit(1);
}

static void describe(int file, int variable, const char *name, const char *value) {
    check(xmpnc_put_att_text(file, variable, name, (MPI_Offset)strlen(value), value));
}

static void define(int file, const char *name, xmp_desc_t array, const char *units) {
    const char *const dimensions[] = {"time", "station"};
    int variable;
    check(xmpnc_def_var_of(file, name, NC_NAT, array, 2, dimensions, &variable));
    describe(file, variable, "standard_name", name);
    describe(file, variable, "units", units);
}

/* The file of an earlier run, or a new one. */
static int begin(void) {
    int file, format, time, of_time;
    if (xmpnc_inq_file_format("records.nc", &format) == NC_NOERR) {
        check(xmpnc_open_all("records.nc", NC_WRITE, &file));
        return file;
    }
    check(xmpnc_create_all("records.nc", NC_NOCLOBBER, &file));
    define(file, "air_temperature", xmp_desc_of(temperature), "K");
    define(file, "air_pressure", xmp_desc_of(pressure), "hPa");
    check(xmpnc_inq_dimid(file, "time", &time));
    check(xmpnc_def_var(file, "time", NC_INT, 1, &time, &of_time));
    describe(file, of_time, "units", "hours since 2026-01-01 00:00:00");
    describe(file, of_time, "standard_name", "time");
    describe(file, NC_GLOBAL, "Conventions", "CF-1.8");
    describe(file, NC_GLOBAL, "history", "written by an example of Kumihimo");
    describe(file, NC_GLOBAL, "title", "A warm front");
    check(xmpnc_enddef(file));
    return file;
}

int main(void) {
    int variables[2], of_time, time;
    MPI_Offset records;
    const int file = begin();
    check(xmpnc_inq_varid(file, "air_temperature", &variables[0]));
    check(xmpnc_inq_varid(file, "air_pressure", &variables[1]));
    check(xmpnc_inq_varid(file, "time", &of_time));
    check(xmpnc_inq_dimid(file, "time", &time));
    check(xmpnc_inq_dimlen(file, time, &records));
    if (records + RECORDS > MOST) return 1;
    const xmp_desc_t arrays[] = {xmp_desc_of(temperature), xmp_desc_of(pressure)};
    for (int k = 0; k < RECORDS; k++, records++) {
        const int hours = (int)records;
#pragma xmp loop (s) on land[s]
        for (int s = 0; s < STATIONS; s++) {
            temperature[s] = (float)(280 + s + 0.5 * hours);
            pressure[s] = (float)(1013 + 0.5 * s - hours);
        }
        MPI_Offset here[] = {records, 0};
        MPI_Offset *const starts[] = {here, here};
        check(xmpnc_mput_varx_float_all(file, 2, variables, starts, NULL, arrays, NULL));
        check(xmpnc_put_var1_int_all(file, of_time, here, &hours));
    }

    const MPI_Offset first[] = {0, 0}, turned[] = {1, 0}; /* along time lies dimension 1 of the array, along the stations 0 */
    xmp_range_t *all = xmp_allocate_range(2);
    xmp_set_range(all, 2, 0, records, 1);
    check(xmpnc_get_varm_float_all(file, variables[0], first, NULL, turned, xmp_desc_of(course), all));
    xmp_free_range(all);
    check(xmpnc_close(file));
    float change = 0;
#pragma xmp loop (s) on land[s] reduction(+:change)
    for (int s = 0; s < STATIONS; s++) change += (course[s][records - 1] - course[s][0]) / STATIONS;
#pragma xmp task on p[0]
    printf("%d records; it became %.1f K warmer\n", (int)records, change);
    return 0;
}
