/* A plucked string: what the parts of the program share. A header that says how arrays are distributed is included like any
 * other; every file that includes it may loop over the template and call functions that take such arrays. */
#ifndef WAVE_H
#define WAVE_H

#define POINTS 2001

#pragma xmp nodes wave_nodes[*]
#pragma xmp template wave_points[POINTS]
#pragma xmp distribute wave_points[block] onto wave_nodes

/* The string's height above rest, now and a step ago. wave.c defines it, with the same directives. */
extern double height[POINTS], before[POINTS];
#pragma xmp align height[i] with wave_points[i]
#pragma xmp align before[i] with wave_points[i]
#pragma xmp shadow height[1]

/* Pulled up at one point and let go. */
void wave_pluck(int point, double top);
void wave_step(void);

/* Functions of any array that is aligned with wave_points. All nodes call them, and all get the result. */
double sum_of_squares(double values[POINTS]);
double highest(double values[POINTS], int *where);

#endif
