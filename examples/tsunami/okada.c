/* Okada (1985), equations (25) to (30): the surface displacement u_z of a finite rectangular source; names as in the paper. */
#include <math.h>

#include "okada.h"

static const double pi = 3.14159265358979323846;
static const double medium = 0.5; /* mu / (lambda + mu), lambda = mu */
static const double tiny = 1e-9;  /* below it a term is at its limit: vertical faults, points in line with an edge */

/* What the corners of one fault share. */
typedef struct Geometry {
    double sin_dip, cos_dip, q;
} Geometry;

/* I5, equation (28), or (29) for a vertical fault. */
static double i5(const Geometry *g, double xi, double eta, double R, double d_tilde) {
    if (fabs(g->cos_dip) < tiny) return -medium * xi * g->sin_dip / (R + d_tilde);
    if (fabs(xi) < tiny) return 0.0;
    const double X = sqrt(xi * xi + g->q * g->q);
    return medium * 2.0 / g->cos_dip *
           atan((eta * (X + g->q * g->cos_dip) + X * (R + X) * g->sin_dip) / (xi * (R + X) * g->cos_dip));
}

/* Okada's rule (iii): where R + eta vanishes, terms divided by it are zero, and its logarithm is -ln(R - eta). */
static double reciprocal(double sum) { return sum > tiny ? 1.0 / sum : 0.0; }
static double logarithm(double R, double eta) { return R + eta > tiny ? log(R + eta) : -log(R - eta); }

/* I4, equation (28) or (29). */
static double i4(const Geometry *g, double eta, double R, double d_tilde) {
    if (fabs(g->cos_dip) < tiny) return -medium * g->q / (R + d_tilde);
    return medium / g->cos_dip * (log(R + d_tilde) - g->sin_dip * logarithm(R, eta));
}

/* The brackets of (25), strike slip, and (26), dip slip, at one corner (xi, eta). */
static void corner(const Geometry *g, double xi, double eta, double *strike_slip, double *dip_slip) {
    const double q = g->q;
    const double R = sqrt(xi * xi + eta * eta + q * q);
    const double d_tilde = eta * g->sin_dip - q * g->cos_dip;
    const double angle = fabs(q) < tiny ? 0.0 : atan(xi * eta / (q * R));
    *strike_slip = (d_tilde / R + g->sin_dip) * q * reciprocal(R + eta) + i4(g, eta, R, d_tilde) * g->sin_dip;
    *dip_slip =
        d_tilde * q / R * reciprocal(R + xi) + g->sin_dip * angle - i5(g, xi, eta, R, d_tilde) * g->sin_dip * g->cos_dip;
}

double okada_uplift(const Fault *fault, double x, double y) {
    const double degree = pi / 180.0;
    /* cos(90 degrees) is not zero in floating point: say so where the fault is vertical. */
    const double cosine = cos(fault->dip * degree);
    Geometry g = {sin(fault->dip * degree), fabs(cosine) < tiny ? 0.0 : cosine, 0.0};
    const double p = y * g.cos_dip + fault->depth * g.sin_dip;
    g.q = y * g.sin_dip - fault->depth * g.cos_dip;

    double strike_slip = 0.0, dip_slip = 0.0; /* Chinnery's notation, (24): f(x,p) - f(x,p-W) - f(x-L,p) + f(x-L,p-W) */
    for (int far = 0; far < 2; far++)
        for (int upper = 0; upper < 2; upper++) {
            double s, d;
            corner(&g, x - far * fault->length, p - upper * fault->width, &s, &d);
            strike_slip += (far == upper ? s : -s);
            dip_slip += (far == upper ? d : -d);
        }
    const double along = fault->slip * cos(fault->rake * degree), up_dip = fault->slip * sin(fault->rake * degree);
    return -(along * strike_slip + up_dip * dip_slip) / (2.0 * pi);
}
