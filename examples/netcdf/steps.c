/* Time steps that are written in batches: the field goes on changing while its former values wait in a buffer.
 *
 *   xmpcc -O3 -o steps steps.c && xmprun -n 4 ./steps        writes steps.nc
 *
 * xmpnc_bput_... copies and returns, and xmpnc_wait_all writes all that has gathered in one operation. Few large operations are faster
 * than many small ones on a parallel file system. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#include <xmpnc.h>

#define N 200
#define STEPS 12
#define BATCH 4

#pragma xmp nodes p[*]
#pragma xmp template rod[N]
#pragma xmp distribute rod[block] onto p
double heat[N], next[N], place[N];
#pragma xmp align heat[i] with rod[i]
#pragma xmp align next[i] with rod[i]
#pragma xmp align place[i] with rod[i]
#pragma xmp shadow heat[1]

static void check(int status) {
    if (status == NC_NOERR) return;
#pragma xmp task on p[0]
    fprintf(stderr, "steps.nc: %s\n", xmpnc_strerror(status));
    xmp_exit(1);
}

static void describe(int file, int variable, const char *name, const char *value) {
    check(xmpnc_put_att_text(file, variable, name, (MPI_Offset)strlen(value), value));
}

static int create(int *of_heat, int *of_time) {
    const char *const dimensions[] = {"time", "x"};
    int file, of_place;
    check(xmpnc_create_all("steps.nc", NC_CLOBBER, &file));
    check(xmpnc_def_var_of(file, "x", NC_NAT, xmp_desc_of(place), 1, dimensions + 1, &of_place));
    check(xmpnc_def_var_of(file, "temperature", NC_FLOAT, xmp_desc_of(heat), 2, dimensions, of_heat));
    int time;
    check(xmpnc_inq_dimid(file, "time", &time));
    check(xmpnc_def_var(file, "time", NC_DOUBLE, 1, &time, of_time));
    describe(file, of_place, "units", "m");
    describe(file, of_place, "long_name", "distance from the left end");
    describe(file, *of_heat, "units", "K");
    describe(file, *of_heat, "long_name", "temperature of the rod");
    describe(file, *of_time, "units", "seconds since 2026-01-01 00:00:00");
    describe(file, *of_time, "standard_name", "time");
    describe(file, NC_GLOBAL, "Conventions", "CF-1.8");
    describe(file, NC_GLOBAL, "history", "written by an example of Kumihimo");
    describe(file, NC_GLOBAL, "title", "A rod that cools");
    check(xmpnc_enddef(file));
    check(xmpnc_put_var_double_all(file, of_place, xmp_desc_of(place)));
    return file;
}

static void step(void) {
#pragma xmp reflect (heat)
#pragma xmp loop (i) on rod[i]
    for (int i = 1; i < N - 1; i++) next[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
#pragma xmp loop (i) on rod[i]
    for (int i = 1; i < N - 1; i++) heat[i] = next[i];
}

int main(void) {
    int of_heat, of_time;
    MPI_Offset bytes;
#pragma xmp loop (i) on rod[i]
    for (int i = 0; i < N; i++) {
        place[i] = 0.01 * i;
        heat[i] = i < N / 2 ? 400.0 : 300.0;
    }
    const int file = create(&of_heat, &of_time);
    check(xmpnc_inq_bput_size(file, of_heat, xmp_desc_of(heat), NULL, &bytes));
    check(xmpnc_buffer_attach(file, BATCH * bytes + 1)); /* a node without elements needs a buffer, too */
    for (int k = 0; k < STEPS; k++, step()) {
        const MPI_Offset record[] = {k, 0};
        const double seconds = 0.5 * k;
        int request;
        check(xmpnc_bput_varx_double(file, of_heat, record, NULL, xmp_desc_of(heat), NULL, &request));
        check(xmpnc_put_var1_double_all(file, of_time, record, &seconds));
        if ((k + 1) % BATCH == 0) check(xmpnc_wait_all(file, NC_REQ_ALL, NULL, NULL));
    }
    check(xmpnc_buffer_detach(file));
    check(xmpnc_close(file));
    return 0;
}
