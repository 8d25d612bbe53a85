/* Gauges: places at which the sea surface is written down once a minute. */
#ifndef GAUGES_H
#define GAUGES_H

enum { GAUGES = 9, LONGEST_HOURS = 48 };

typedef struct Gauge {
    const char *name;
    double latitude, longitude; /* degrees north, east */
    int row, column;            /* of its cell */
    float depth;                /* there, metres */
} Gauge;

extern Gauge gauges[GAUGES];
extern float gauge_height[GAUGES][LONGEST_HOURS * 60 + 1]; /* metres; all nodes hold all values */

/* Harbours lie in cells that the grid calls land: a gauge is the nearest cell deeper than 100 m. */
void gauges_place(void);

/* Appends the sea surface of this minute. */
void gauges_record(int minute);

#endif
