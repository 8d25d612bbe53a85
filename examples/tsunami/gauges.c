/* Gauges and their series. */
#include "gauges.h"
#include "ocean.h"

Gauge gauges[GAUGES] = {
    /* Bottom pressure recorders (DART buoys, NOAA National Data Buoy Center) in the order in which the wave passes them. */
    {.name = "DART 21418", .latitude = 38.711, .longitude = 148.694},
    {.name = "DART 21401", .latitude = 42.617, .longitude = 152.583},
    {.name = "DART 21413", .latitude = 30.515, .longitude = 152.117},
    {.name = "DART 21419", .latitude = 44.455, .longitude = 155.736},
    {.name = "DART 51407", .latitude = 19.642, .longitude = 203.492},
    {.name = "DART 46404", .latitude = 45.859, .longitude = 231.225},
    /* Tide gauges. */
    {.name = "Midway", .latitude = 28.212, .longitude = 182.640},
    {.name = "Honolulu", .latitude = 21.307, .longitude = 202.133},
    {.name = "Crescent City", .latitude = 41.745, .longitude = 235.817},
};
float gauge_height[GAUGES][LONGEST_HOURS * 60 + 1];

void gauges_place(void) {
    float found[GAUGES] = {0};
    for (int g = 0; g < GAUGES; g++) {
        Gauge *const gauge = &gauges[g];
        ocean_nearest(gauge->latitude, gauge->longitude, 100.0, &gauge->row, &gauge->column);
#pragma xmp task on ocean[gauge->row][gauge->column]
        found[g] = depth[gauge->row][gauge->column];
    }
#pragma xmp reduction(+:found)
    for (int g = 0; g < GAUGES; g++) gauges[g].depth = found[g];
}

void gauges_record(int minute) {
    float level[GAUGES] = {0}; /* the owner of a gauge's cell fills in its value, the sum brings it to all nodes */
    for (int g = 0; g < GAUGES; g++) {
        const int row = gauges[g].row, column = gauges[g].column;
#pragma xmp task on ocean[row][column]
        level[g] = height[row][column];
    }
#pragma xmp reduction(+:level)
    for (int g = 0; g < GAUGES; g++) gauge_height[g][minute] = level[g];
}
