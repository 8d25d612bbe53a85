/* The physics of examples/tsunami as a plain C program, without XcalableMP and without its library: the oracle of the parallel
 * one.
 *
 *   tsunami_serial TOPOGRAPHY.raw MINUTES STATE.raw
 *
 * reads ROWS x COLUMNS floats of topography (metres, up positive) and writes, after so many minutes, what the parallel
 * program's restart file begins with: height, east, south, highest, arrival. The gauges' series go to standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "examples/tsunami/earthquake.h"
#include "examples/tsunami/gauges.h"
#include "examples/tsunami/ocean.h"

static FILE* open_or_stop(const char* path, const char* mode) {
    FILE* file = fopen(path, mode);
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_field(FILE* file, const float field[ROWS][WIDTH]) {
    for (int j = 0; j < ROWS; j++)
        if (fwrite(&field[j][FIRST], sizeof(float), COLUMNS, file) != COLUMNS) exit(1);
}

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: tsunami_serial TOPOGRAPHY.raw MINUTES STATE.raw\n");
        return 2;
    }
    FILE* file = open_or_stop(argv[1], "rb");
    for (int j = 0; j < ROWS; j++)
        if (fread(&depth[j][FIRST], sizeof(float), COLUMNS, file) != COLUMNS) return 1;
    fclose(file);
    const int minutes = atoi(argv[2]);

    double limit, before, after, moved;
    ocean_fill();
    const int steps_per_minute = ocean_time_step(&limit);
    ocean_start(earthquake_uplift);
    ocean_prepare(steps_per_minute);
    gauges_place();
    ocean_volume(&before, &moved);
    ocean_record(0);
    gauges_record(0);
    fprintf(stderr, "limit %.2f s, step %.2f s, moment magnitude %.2f\n", limit, 60.0 / steps_per_minute,
            earthquake_magnitude());
    const clock_t start = clock();
    for (int minute = 1; minute <= minutes; minute++) {
        for (int step = 0; step < steps_per_minute; step++) ocean_step();
        ocean_record(minute);
        gauges_record(minute);
    }
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    fprintf(stderr, "%.2f s, %.3f ns for a cell and step\n", seconds,
            seconds * 1e9 / ((double)ROWS * COLUMNS * steps_per_minute * minutes));
    double ignored;
    ocean_volume(&after, &ignored);
    fprintf(stderr, "displaced %.4g m3 of %.4g m3 moved, change %.2e of it\n", before, moved, (after - before) / moved);

    file = open_or_stop(argv[3], "wb");
    write_field(file, height);
    write_field(file, east);
    write_field(file, south);
    write_field(file, highest);
    write_field(file, arrival);
    fclose(file);
    for (int g = 0; g < GAUGES; g++) {
        printf("%s (%.0f m):", gauges[g].name, gauges[g].depth);
        for (int minute = 0; minute <= minutes; minute++) printf(" %.6g", gauge_height[g][minute]);
        printf("\n");
    }
    return 0;
}
