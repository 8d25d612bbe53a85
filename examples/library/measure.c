/* Measures of arrays that the caller names: a parameter is declared and aligned again, as the argument is. */
#include "wave.h"

double sum_of_squares(double values[POINTS]) {
#pragma xmp align values[i] with wave_points[i]
#pragma xmp shadow values[1]
    double sum = 0;
#pragma xmp loop on wave_points[i] reduction(+:sum)
    for (int i = 0; i < POINTS; i++) sum += values[i] * values[i];
    return sum;
}

/* Also says where: `firstmax` brings the point along with the value that won, the first one where several are equal. */
double highest(double values[POINTS], int *where) {
#pragma xmp align values[i] with wave_points[i]
#pragma xmp shadow values[1]
    double value = values[0];
    int point = 0;
#pragma xmp loop on wave_points[i] reduction(firstmax:value/point/)
    for (int i = 0; i < POINTS; i++)
        if (values[i] > value) {
            value = values[i];
            point = i;
        }
    *where = point;
    return value;
}
