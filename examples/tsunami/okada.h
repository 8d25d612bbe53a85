/* Okada's dislocation: how far a slipping rectangular fault lifts the ground above it.
 * Y. Okada, Surface deformation due to shear and tensile faults in a half-space, Bull. Seism. Soc. Am. 75 (1985) 1135-1154. */
#ifndef OKADA_H
#define OKADA_H

/* A rectangle in the Earth, which dips to the right of its strike. Lengths in metres, angles in degrees. */
typedef struct Fault {
    double length, width; /* along strike; down dip */
    double depth;         /* of the lower edge */
    double dip, rake;
    double slip;
} Fault;

/* Vertical displacement in metres, up positive, at the surface point (x, y) of an elastic half-space whose Lame constants are
 * equal. Okada's coordinates: x along strike from the lower edge's starting corner, y across it, up dip positive. */
double okada_uplift(const Fault *fault, double x, double y);

#endif
