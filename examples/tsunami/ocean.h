/* The ocean: a grid on the sphere, its state, and the linear shallow-water equations on it.
 *
 * The grid has cells of MINUTES arc minutes, round the globe and from 72 degrees south to 72 degrees north. XcalableMP spreads
 * it in blocks over a rectangle of nodes; the shadow of each block holds the neighbours' edges. Compiled by a plain C compiler
 * the same text is the serial program.
 *
 * height [j][i]  sea surface above rest at the centre of cell (j, i), metres
 * east   [j][i]  water that passes the eastern face of the cell in one time step
 * south  [j][i]  water that passes its southern face northward in one time step
 *                (both as the height it would have over a cell at the equator, metres)
 */
#ifndef OCEAN_H
#define OCEAN_H

#ifndef MINUTES
#define MINUTES 5 /* any multiple of 5, the resolution of ETOPO5 */
#endif
#define COLUMNS (360 * 60 / MINUTES)
#define ROWS (2 * LIMIT_DEGREES * 60 / MINUTES + 1)
#define LIMIT_DEGREES 72 /* further north the meridians draw so close that they would dictate the time step */

/* Longitude is periodic. In XcalableMP the shadow continues column COLUMNS - 1 with column 0; a serial program keeps that
 * neighbour in an additional column on either side. */
#ifdef _XMP
#include <xmp.h>
#define FIRST 0
/* A rectangle of nodes that is as square as their number allows, with at least as many rows as columns. */
static inline int node_columns(void) {
    const int nodes = xmp_num_nodes();
    int columns = 1;
    for (int n = 1; n * n <= nodes; n++)
        if (nodes % n == 0) columns = n;
    return columns;
}
#else
#define FIRST 1
#endif
#define END (FIRST + COLUMNS) /* cells are columns FIRST .. END - 1 */
#define WIDTH (FIRST + END)   /* allocated columns */

#pragma xmp nodes node[*][node_columns()]
#pragma xmp template ocean[ROWS][COLUMNS]
#pragma xmp distribute ocean[block][block] onto node

extern float height[ROWS][WIDTH], east[ROWS][WIDTH], south[ROWS][WIDTH];
extern float depth[ROWS][WIDTH];   /* of the sea at rest, metres; 0 on land */
extern float highest[ROWS][WIDTH]; /* sea surface since the earthquake, metres */
extern float arrival[ROWS][WIDTH]; /* first minute in which it had moved by ARRIVAL_METRES; negative: not yet */
#pragma xmp align height[j][i] with ocean[j][i]
#pragma xmp align east[j][i] with ocean[j][i]
#pragma xmp align south[j][i] with ocean[j][i]
#pragma xmp align depth[j][i] with ocean[j][i]
#pragma xmp align highest[j][i] with ocean[j][i]
#pragma xmp align arrival[j][i] with ocean[j][i]
#pragma xmp shadow height[1][1]
#pragma xmp shadow east[1][1]
#pragma xmp shadow south[1][1]
#pragma xmp shadow depth[1][1]

#define SHALLOWEST_METRES 20 /* the linear equations do not hold in less water: land */
#define ARRIVAL_METRES 0.01f

static inline double latitude_of(double row) { return row * MINUTES / 60.0 - LIMIT_DEGREES; } /* degrees north */
static inline double row_of(double latitude) { return (latitude + LIMIT_DEGREES) * 60.0 / MINUTES; }
static inline double longitude_of(double column) { return (column - FIRST) * MINUTES / 60.0; } /* degrees east */

/* From the topography that stands in `depth` (metres, up positive) to depths. */
void ocean_fill(void);

/* Chooses the time step: the longest stable one of which a whole number makes a minute. Returns that number; `limit_seconds` is
 * where the scheme would become unstable. */
int ocean_time_step(double *limit_seconds);

/* Sea at rest, lifted by what `uplift` (metres) says of each place. */
void ocean_start(double (*uplift)(double latitude, double longitude));

/* Factors of the scheme for this time step; before the first step, also after a restart. */
void ocean_prepare(int steps_per_minute);

/* One time step. */
void ocean_step(void);

/* Brings `highest` and `arrival` up to date. */
void ocean_record(int minute);

/* Water above the sea at rest, and the same with troughs counted positive, in cubic metres. */
void ocean_volume(double *above, double *moved);

/* The cell nearest to a place that is deeper than `depth_metres`, within 5 degrees of latitude; -1, -1 if there is none. */
void ocean_nearest(double latitude, double longitude, double depth_metres, int *row, int *column);

#endif
