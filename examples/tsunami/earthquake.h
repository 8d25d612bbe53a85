/* The Tohoku earthquake of 11 March 2011 as a tsunami source. */
#ifndef EARTHQUAKE_H
#define EARTHQUAKE_H

/* Vertical displacement of the sea bed, and so of the sea above it, in metres, up positive; degrees north and east. */
double earthquake_uplift(double latitude, double longitude);

/* Moment magnitude of the subfaults together, for a rigidity of 40 GPa. */
double earthquake_magnitude(void);

#endif
