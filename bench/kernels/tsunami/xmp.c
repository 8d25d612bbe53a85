/* The time step of examples/tsunami: the example's own source, on a basin without data files. -DSTATE='"file"' writes the fields
 * at the end. */
#include "../../../examples/tsunami/ocean.c"

#include "../timing.h"
#include "basin.h"

#ifndef REPEAT
#define REPEAT 40
#endif

#ifdef STATE
#include <stdlib.h>
#include <xmp_io.h>

static void write_state(void) {
    xmp_file_t *file = xmp_fopen_all(STATE, "w");
    if (!file || xmp_fwrite_darray_all(file, xmp_desc_of(height), NULL) < 0 ||
        xmp_fwrite_darray_all(file, xmp_desc_of(east), NULL) < 0 ||
        xmp_fwrite_darray_all(file, xmp_desc_of(south), NULL) < 0 || xmp_fclose_all(file) != 0)
        abort();
}
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
#ifdef STATE
    write_state();
#endif
#pragma xmp task on node[0][0]
    report(seconds, moved);
    return 0;
}
