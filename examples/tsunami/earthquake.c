/* Six subfaults of 100 km x 50 km along the Japan Trench, rake 90 degrees.
 *
 * Slip: the source that NOAA's Center for Tsunami Research inverted from the first hour of deep-ocean records,
 *   L. Tang et al., Direct energy estimation of the 2011 Japan tsunami using deep-ocean pressure measurements,
 *   J. Geophys. Res. 117 (2012) C08008: 4.66 b24 + 12.23 b25 + 26.31 a26 + 21.27 b26 + 22.75 a27 + 4.98 b27.
 * Geometry: the unit sources of that name in the Kamchatka-Kuril-Japan zone,
 *   E. Gica et al., Development of the forecast propagation database for NOAA's SIFT, NOAA Tech. Memo. OAR PMEL-139 (2008),
 *   which give the position of the middle of the lower edge, but the depth of the upper edge. */
#include <math.h>

#include "earthquake.h"
#include "okada.h"

typedef struct Subfault {
    double longitude, latitude; /* middle of the lower edge, degrees */
    double strike, dip;         /* degrees */
    double depth_km;            /* of the upper edge */
    double slip;                /* metres */
} Subfault;

static const Subfault subfaults[] = {
    {143.5273, 40.31248, 185, 19, 5.00, 4.66},   /* b24 */
    {143.4246, 39.41759, 185, 19, 5.00, 12.23},  /* b25 */
    {142.7622, 38.58372, 188, 21, 21.28, 26.31}, /* a26 */
    {143.2930, 38.52536, 188, 19, 5.00, 21.27},  /* b26 */
    {142.5320, 37.78298, 198, 21, 21.28, 22.75}, /* a27 */
    {143.0357, 37.65340, 198, 19, 5.00, 4.98},   /* b27 */
};
enum { SUBFAULTS = sizeof subfaults / sizeof *subfaults };

static const double length = 100e3, width = 50e3; /* metres */
static const double degree = 3.14159265358979323846 / 180.0, radius = 6.371e6;

static double uplift_of(const Subfault *s, double latitude, double longitude) {
    const double north = (latitude - s->latitude) * degree * radius;
    const double east = (longitude - s->longitude) * degree * radius * cos(s->latitude * degree);
    const double sine = sin(s->strike * degree), cosine = cos(s->strike * degree);
    /* Along strike from the edge's middle; up dip, which is to the left of it. */
    const double along = north * cosine + east * sine, across = north * sine - east * cosine;
    const Fault fault = {length, width, s->depth_km * 1e3 + width * sin(s->dip * degree), s->dip, 90.0, s->slip};
    return okada_uplift(&fault, along + length / 2, across);
}

double earthquake_uplift(double latitude, double longitude) {
    /* Further away than this the uplift is less than a few millimetres. */
    if (fabs(latitude - 38.5) > 12.0 || fabs(longitude - 143.0) > 15.0) return 0.0;
    double sum = 0.0;
    for (int k = 0; k < SUBFAULTS; k++) sum += uplift_of(&subfaults[k], latitude, longitude);
    return sum;
}

double earthquake_magnitude(void) {
    double moment = 0.0;
    for (int k = 0; k < SUBFAULTS; k++) moment += 40e9 * length * width * subfaults[k].slip;
    return (log10(moment) - 9.1) / 1.5;
}
