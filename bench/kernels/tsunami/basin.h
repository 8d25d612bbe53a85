/* A basin without data files for the tsunami kernel: a shelf that varies with latitude and longitude, two land bridges. */
#ifndef KERNEL_BASIN_H
#define KERNEL_BASIN_H

#include <math.h>

static inline float basin_elevation(double latitude, double longitude) {
    const double land = sin(longitude * 0.05) * cos(latitude * 0.07);
    return (float)(land > 0.9 ? 100.0 : -4000.0 + 2000.0 * land);
}

static double basin_uplift(double latitude, double longitude) {
    const double up = latitude - 38.0, right = longitude - 143.0;
    return 5.0 * exp(-(up * up + right * right) / 4.0);
}

#endif
