/* The string's motion: height'' = c * c * height_xx, by second differences in time and space. */
#include "wave.h"

double height[POINTS], before[POINTS];

static double next[POINTS];
#pragma xmp align next[i] with wave_points[i]

void wave_pluck(int point, double top) {
#pragma xmp loop on wave_points[i]
    for (int i = 0; i < POINTS; i++)
        height[i] = before[i] = i <= point ? top * i / point : top * (POINTS - 1 - i) / (POINTS - 1 - point);
}

void wave_step(void) {
    const double courant = 0.81; /* the square of c * time step / distance of points */
#pragma xmp reflect (height)
#pragma xmp loop on wave_points[i]
    for (int i = 1; i < POINTS - 1; i++)
        next[i] = 2 * height[i] - before[i] + courant * (height[i - 1] - 2 * height[i] + height[i + 1]);
#pragma xmp loop on wave_points[i]
    for (int i = 1; i < POINTS - 1; i++) {
        before[i] = height[i];
        height[i] = next[i];
    }
}
