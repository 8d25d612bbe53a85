/* Heat in a square plate whose rim is kept at zero: blocks in two dimensions, and time steps in a netCDF file.
 *
 *   xmpcc -O3 -o heat2d heat2d.c && xmprun -n 4 ./heat2d             writes heat2d.nc
 *
 * The plate starts with two hot spots. Every STEPS_PER_RECORD steps all nodes together write the temperature as one more record of
 * the file. At the end the program reads the last record back and compares it with what it has in memory. */
#include <stdio.h>
#include <xmp.h>
#include <xmpnc.h>

#define N 96
#define RECORDS 9
#define STEPS_PER_RECORD 100
#define DIFFUSION 0.2 /* of one step, in cells: stable below 0.25 */

/* A rectangle of nodes as square as their number allows: the rims of the blocks, which travel, are short then. */
static int node_columns(void) {
    const int nodes = xmp_num_nodes();
    int columns = 1;
    for (int n = 2; n * n <= nodes; n++)
        if (nodes % n == 0) columns = n;
    return columns;
}

#pragma xmp nodes p[*][node_columns()]
#pragma xmp template plate[N][N]
#pragma xmp distribute plate[block][block] onto p

double u[N][N], next[N][N], from_file[N][N];
#pragma xmp align u[j][i] with plate[j][i]
#pragma xmp align next[j][i] with plate[j][i]
#pragma xmp align from_file[j][i] with plate[j][i]
#pragma xmp shadow u[1][1] /* room for the neighbours' rims */

/* The functions of xmpnc return the same code on all nodes, so all of them leave together. */
static void check(int status) {
    if (status == NC_NOERR) return;
#pragma xmp task on p[0][0]
    fprintf(stderr, "heat2d.nc: %s\n", xmpnc_strerror(status));
    xmp_exit(1);
}

static void start(void) {
#pragma xmp loop (j, i) on plate[j][i]
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            const int a = (j - N / 3) * (j - N / 3) + (i - N / 3) * (i - N / 3);
            const int b = (j - 2 * N / 3) * (j - 2 * N / 3) + (i - 3 * N / 4) * (i - 3 * N / 4);
            u[j][i] = a < N * N / 64 ? 100.0 : b < N * N / 144 ? 60.0 : 0.0;
        }
}

static void step(void) {
#pragma xmp reflect (u) orthogonal
#pragma xmp loop (j, i) on plate[j][i]
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++)
            next[j][i] = u[j][i] + DIFFUSION * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1] - 4 * u[j][i]);
#pragma xmp loop (j, i) on plate[j][i]
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) u[j][i] = next[j][i];
}

/* The dimension time grows by one with each record. */
static int create_file(int *variable) {
    int file, dimensions[3];
    check(xmpnc_create_all("heat2d.nc", NC_CLOBBER, &file));
    check(xmpnc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]));
    check(xmpnc_def_dim(file, "y", N, &dimensions[1]));
    check(xmpnc_def_dim(file, "x", N, &dimensions[2]));
    check(xmpnc_def_var(file, "temperature", NC_DOUBLE, 3, dimensions, variable));
    check(xmpnc_enddef(file));
    return file;
}

int main(void) {
    int variable;
    const int file = create_file(&variable);
    const MPI_Offset stride[3] = {1, 1, 1};
    start();
    for (int record = 0; record < RECORDS; record++) {
        /* The array has two dimensions, the variable three: where it goes is said by its first element. */
        const MPI_Offset place[3] = {record, 0, 0};
        check(xmpnc_put_varx_double_all(file, variable, place, stride, xmp_desc_of(u), NULL));
        if (record + 1 == RECORDS) break;
        for (int k = 0; k < STEPS_PER_RECORD; k++) step();
    }
    const MPI_Offset last[3] = {RECORDS - 1, 0, 0};
    check(xmpnc_get_varx_double_all(file, variable, last, stride, xmp_desc_of(from_file), NULL));
    check(xmpnc_close(file));

    double hottest = 0.0;
    int different = 0;
#pragma xmp loop (j, i) on plate[j][i] reduction(max:hottest) reduction(+:different)
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            hottest = u[j][i] > hottest ? u[j][i] : hottest;
            different += u[j][i] != from_file[j][i];
        }
#pragma xmp task on p[0][0]
    printf("hottest %.12f after %d steps; %d cells differ from the file\n", hottest, (RECORDS - 1) * STEPS_PER_RECORD, different);
    return different != 0;
}
