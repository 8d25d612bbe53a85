/* The same by hand: blocks of whole rows (what one and two nodes get in the example, too), a halo row on either side, two
 * additional columns that close the circle of longitude, Isend/Irecv. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "../timing.h"
#include "basin.h"

#ifndef REPEAT
#define REPEAT 40
#endif
#ifndef MINUTES
#define MINUTES 5
#endif
#define COLUMNS (360 * 60 / MINUTES)
#define LIMIT 72
#define ROWS (2 * LIMIT * 60 / MINUTES + 1)
#define WIDTH (COLUMNS + 2)

typedef float Row[WIDTH];

static int first, rows, south_node, north_node; /* my rows are first .. first + rows - 1; local row 1 is `first` */
static Row *height, *east, *south, *depth, *east_factor, *south_factor;
static float *row_factor;
static const double gravity = 9.81, radius = 6.371e6, degree = 3.14159265358979323846 / 180.0;
static const double cell_radians = MINUTES / 60.0 * 3.14159265358979323846 / 180.0;

static double latitude_of(double row) { return row * MINUTES / 60.0 - LIMIT; }
static double cos_latitude(double row) { return cos(latitude_of(row) * degree); }

/* The row below mine comes from the southern neighbour, and my northernmost row goes to the northern one. */
static void halo_from_south(Row *field) {
    MPI_Request requests[2];
    MPI_Irecv(&field[0][1], COLUMNS, MPI_FLOAT, south_node, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&field[rows][1], COLUMNS, MPI_FLOAT, north_node, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void halo_from_north(Row *field) {
    MPI_Request requests[2];
    MPI_Irecv(&field[rows + 1][1], COLUMNS, MPI_FLOAT, north_node, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&field[1][1], COLUMNS, MPI_FLOAT, south_node, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void close_east(Row *field) { /* column COLUMNS + 1 continues with column 1 */
    for (int j = 1; j <= rows; j++) field[j][COLUMNS + 1] = field[j][1];
}

static void close_west(Row *field) {
    for (int j = 1; j <= rows; j++) field[j][0] = field[j][COLUMNS];
}

static int local_from(int global) { return global > first ? global - first + 1 : 1; }
static int local_to(int global) { return global < first + rows - 1 ? global - first + 1 : rows; }

static void step(void) {
    Row *const h = height, *const e = east, *const s = south, *const ef = east_factor, *const sf = south_factor;
    const float *const r = row_factor;
    halo_from_south(h);
    close_east(h);
    for (int j = local_from(1), end = local_to(ROWS - 1); j <= end; j++)
#pragma GCC ivdep
        for (int i = 1; i <= COLUMNS; i++) {
            e[j][i] -= ef[j][i] * (h[j][i + 1] - h[j][i]);
            s[j][i] -= sf[j][i] * (h[j][i] - h[j - 1][i]);
        }
    close_west(e);
    halo_from_north(s);
    for (int j = local_from(1), end = local_to(ROWS - 2); j <= end; j++)
#pragma GCC ivdep
        for (int i = 1; i <= COLUMNS; i++) h[j][i] -= r[j] * (e[j][i] - e[j][i - 1] + s[j + 1][i] - s[j][i]);
}

static void prepare(int steps_per_minute) {
    const double dt = 60.0 / steps_per_minute;
    const double factor = gravity * dt * dt / (radius * radius * cell_radians * cell_radians);
    for (int j = 1; j <= rows; j++)
        for (int i = 1; i <= COLUMNS; i++) {
            const int row = first + j - 1;
            const float elevation = basin_elevation(latitude_of(row), (i - 1) * MINUTES / 60.0);
            depth[j][i] = elevation > -20 || row == 0 || row == ROWS - 1 ? 0.0f : -elevation;
            height[j][i] = depth[j][i] > 0 ? (float)basin_uplift(latitude_of(row), (i - 1) * MINUTES / 60.0) : 0.0f;
        }
    halo_from_south(depth);
    close_east(depth);
    for (int j = 1; j <= rows; j++) {
        const int row = first + j - 1;
        row_factor[j] = (float)(1.0 / cos_latitude(row));
        if (row == 0) continue;
        for (int i = 1; i <= COLUMNS; i++) {
            const double here = depth[j][i], next = depth[j][i + 1], below = depth[j - 1][i];
            east_factor[j][i] = here > 0 && next > 0 ? (float)(factor * 0.5 * (here + next) / cos_latitude(row)) : 0.0f;
            south_factor[j][i] =
                here > 0 && below > 0 ? (float)(factor * 0.5 * (here + below) * cos_latitude(row - 0.5)) : 0.0f;
        }
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, nodes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    const int size = (ROWS + nodes - 1) / nodes;
    first = rank * size;
    rows = first + size < ROWS ? size : ROWS - first;
    south_node = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    north_node = first + rows < ROWS ? rank + 1 : MPI_PROC_NULL;
    Row **const fields[] = {&height, &east, &south, &depth, &east_factor, &south_factor};
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) *fields[n] = calloc(rows + 2, sizeof(Row));
    row_factor = calloc(rows + 2, sizeof *row_factor);
    prepare(5);
    step();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int n = 0; n < REPEAT; n++) step();
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    double partial = 0, moved;
    for (int j = local_from(1), end = local_to(ROWS - 2); j <= end; j++)
        for (int i = 1; i <= COLUMNS; i++)
            partial += radius * radius * cell_radians * cell_radians / row_factor[j] * fabs((double)height[j][i]);
    MPI_Allreduce(&partial, &moved, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) report(seconds, moved);
    MPI_Finalize();
    return 0;
}
