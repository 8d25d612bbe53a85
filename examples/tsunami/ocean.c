/* The physics: linear shallow-water equations in flux form on an Arakawa C grid, forward-backward in time.
 *
 *   d(height)/dt = - 1/(R cos) [ d(M)/d(lon) + d(N cos)/d(lat) ]     M, N  transports eastward, northward (m2/s)
 *   dM/dt = - g depth/(R cos) d(height)/d(lon)                       R     radius of the Earth
 *   dN/dt = - g depth/R       d(height)/d(lat)                       cos   of the latitude
 *
 * With D the size of a cell in radians, east = M dt/(R D) and south = N cos dt/(R D) turn the first into sums of what passes
 * the faces of a cell: what one cell loses the next one gains, so that the volume is conserved to rounding. Coasts are closed:
 * nothing passes a face with land on either side. In the open Pacific the terms neglected (advection, friction, the Earth's
 * rotation) change crests by a few per cent at most. */
#include <math.h>

#include "ocean.h"

float height[ROWS][WIDTH], east[ROWS][WIDTH], south[ROWS][WIDTH];
float depth[ROWS][WIDTH], highest[ROWS][WIDTH], arrival[ROWS][WIDTH];

/* What the scheme multiplies by: at the faces g depth dt2/(R D)2 over or times cos, at the centres 1/cos. */
static float east_factor[ROWS][WIDTH], south_factor[ROWS][WIDTH], row_factor[ROWS];
#pragma xmp align east_factor[j][i] with ocean[j][i]
#pragma xmp align south_factor[j][i] with ocean[j][i]
#pragma xmp align row_factor[j] with ocean[j][*]

static const double gravity = 9.81, radius = 6.371e6, degree = 3.14159265358979323846 / 180.0;
static const double cell_radians = MINUTES / 60.0 * 3.14159265358979323846 / 180.0;

static double cos_latitude(double row) { return cos(latitude_of(row) * degree); }

/* A serial program continues the circle of longitude by hand, where XcalableMP has `reflect /periodic/`. */
#ifdef _XMP
#define close_circle(field)
#else
static void close_circle(float field[ROWS][WIDTH]) {
    for (int j = 0; j < ROWS; j++) {
        field[j][FIRST - 1] = field[j][END - 1];
        field[j][END] = field[j][FIRST];
    }
}
#endif

void ocean_fill(void) {
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) {
            const int wall = j == 0 || j == ROWS - 1; /* the grid ends in walls */
            depth[j][i] = depth[j][i] > -SHALLOWEST_METRES || wall ? 0.0f : -depth[j][i];
        }
}

int ocean_time_step(double *limit_seconds) {
    double limit = 3600.0;
#pragma xmp loop (j, i) on ocean[j][i] reduction(min:limit)
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++)
            if (depth[j][i] > 0.0f) {
                const double cosine = cos_latitude(j);
                const double stable = radius * cell_radians / sqrt(gravity * depth[j][i] * (1.0 + 1.0 / (cosine * cosine)));
                limit = stable < limit ? stable : limit;
            }
    *limit_seconds = limit;
    const double safety = 0.98;
    return (int)ceil(60.0 / (safety * limit));
}

void ocean_start(double (*uplift)(double latitude, double longitude)) {
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) {
            height[j][i] = depth[j][i] > 0.0f ? (float)uplift(latitude_of(j), longitude_of(i)) : 0.0f;
            east[j][i] = south[j][i] = 0.0f;
            highest[j][i] = 0.0f;
            arrival[j][i] = -1.0f;
        }
}

void ocean_prepare(int steps_per_minute) {
    const double dt = 60.0 / steps_per_minute;
    const double factor = gravity * dt * dt / (radius * radius * cell_radians * cell_radians);

#pragma xmp reflect (depth) width(1:0, /periodic/0:1)
    close_circle(depth);
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 1; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) {
            const double here = depth[j][i], next = depth[j][i + 1], below = depth[j - 1][i];
            east_factor[j][i] = here > 0.0 && next > 0.0 ? (float)(factor * 0.5 * (here + next) / cos_latitude(j)) : 0.0f;
            south_factor[j][i] =
                here > 0.0 && below > 0.0 ? (float)(factor * 0.5 * (here + below) * cos_latitude(j - 0.5)) : 0.0f;
        }
#pragma xmp loop on ocean[j][*]
    for (int j = 0; j < ROWS; j++) row_factor[j] = (float)(1.0 / cos_latitude(j));
}

void ocean_step(void) {
#pragma xmp reflect (height) width(1:0, /periodic/0:1)
    close_circle(height);
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 1; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) {
            east[j][i] -= east_factor[j][i] * (height[j][i + 1] - height[j][i]);
            south[j][i] -= south_factor[j][i] * (height[j][i] - height[j - 1][i]);
        }

#pragma xmp reflect (east) width(0, /periodic/1:0)
#pragma xmp reflect (south) width(0:1, 0)
    close_circle(east);
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 1; j < ROWS - 1; j++)
        for (int i = FIRST; i < END; i++)
            height[j][i] -= row_factor[j] * (east[j][i] - east[j][i - 1] + south[j + 1][i] - south[j][i]);
}

void ocean_record(int minute) {
    const float now = (float)minute;
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 1; j < ROWS - 1; j++)
        for (int i = FIRST; i < END; i++) {
            const float level = height[j][i], before = arrival[j][i];
            highest[j][i] = level > highest[j][i] ? level : highest[j][i];
            arrival[j][i] = before < 0.0f && fabsf(level) > ARRIVAL_METRES ? now : before;
        }
}

void ocean_volume(double *above, double *moved) {
    double sum = 0.0, absolute = 0.0;
#pragma xmp loop (j, i) on ocean[j][i] reduction(+:sum, absolute)
    for (int j = 1; j < ROWS - 1; j++)
        for (int i = FIRST; i < END; i++) {
            const double area = radius * radius * cell_radians * cell_radians / row_factor[j];
            sum += area * height[j][i];
            absolute += area * fabs((double)height[j][i]);
        }
    *above = sum;
    *moved = absolute;
}

void ocean_nearest(double latitude, double longitude, double depth_metres, int *row, int *column) {
    const double shrink = cos(latitude * degree), search_degrees = 5.0;
    const int first_row = fmax(0.0, floor(row_of(latitude - search_degrees)));
    const int last_row = fmin(ROWS - 1.0, ceil(row_of(latitude + search_degrees)));
    double nearest = 1e30;
    int nearest_row = -1, nearest_column = -1;
#pragma xmp loop (j, i) on ocean[j][i] reduction(firstmin:nearest/nearest_row, nearest_column/)
    for (int j = first_row; j <= last_row; j++)
        for (int i = FIRST; i < END; i++) {
            const double up = latitude_of(j) - latitude, right = shrink * remainder(longitude_of(i) - longitude, 360.0);
            const double distance = up * up + right * right;
            if (depth[j][i] > depth_metres && distance < nearest) {
                nearest = distance;
                nearest_row = j;
                nearest_column = i;
            }
        }
    *row = nearest_row;
    *column = nearest_column;
}
