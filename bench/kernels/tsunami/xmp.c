/* The time step of examples/tsunami: the example's own source, on a basin without data files. */
#include "../../../examples/tsunami/ocean.c"

#include "../timing.h"
#include "basin.h"

#ifndef REPEAT
#define REPEAT 40
#endif

int main(void) {
    double above, moved;
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) depth[j][i] = basin_elevation(latitude_of(j), longitude_of(i));
    ocean_fill();
    ocean_start(basin_uplift);
    ocean_prepare(5);
    ocean_step();
#pragma xmp barrier
    const double start = seconds_now();
    for (int step = 0; step < REPEAT; step++) ocean_step();
#pragma xmp barrier
    const double seconds = seconds_now() - start;
    ocean_volume(&above, &moved);
#pragma xmp task on node[0][0]
    report(seconds, moved);
    return 0;
}
