/* The uplift of examples/tsunami/okada.c against the checklist that Okada published: Bull. Seism. Soc. Am. 75 (1985), table 2,
 * cases 2 to 4 (finite sources), u_z of the strike-slip and dip-slip rows, to the four digits printed there. */
#include "examples/tsunami/okada.h"

#include <math.h>
#include <stdio.h>

typedef struct Row {
    const char* name;
    double x, y, depth, dip, rake, expected;
} Row;

int main(void) {
    const Row rows[] = {
        {"case 2, strike slip", 2, 3, 4, 70, 0, -2.747e-3}, {"case 2, dip slip", 2, 3, 4, 70, 90, -3.564e-2},
        {"case 3, strike slip", 0, 0, 4, 90, 0, 0.0},       {"case 3, dip slip", 0, 0, 4, 90, 90, 0.0},
        {"case 4, strike slip", 0, 0, 4, -90, 0, 0.0},      {"case 4, dip slip", 0, 0, 4, -90, 90, 0.0},
    };
    int bad = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const Row* r = &rows[k];
        const Fault fault = {.length = 3, .width = 2, .depth = r->depth, .dip = r->dip, .rake = r->rake, .slip = 1};
        const double uplift = okada_uplift(&fault, r->x, r->y);
        const int good =
            fabs(uplift - r->expected) <= 5.001e-4 * pow(10.0, r->expected == 0.0 ? -3 : floor(log10(fabs(r->expected))));
        printf("%-20s u_z = %10.3e, published %10.3e%s\n", r->name, uplift, r->expected, good ? "" : "  DIFFERS");
        bad += !good;
    }
    /* Slip on a plane that reaches deep and far lifts the block above it: the sign and the order of magnitude. */
    const Fault thrust = {.length = 400e3, .width = 100e3, .depth = 40e3, .dip = 20, .rake = 90, .slip = 10};
    const double middle = okada_uplift(&thrust, 200e3, 80e3);
    printf("above a thrust of 10 m: %.2f m\n", middle);
    bad += !(middle > 1.0 && middle < 10.0);
    return bad != 0;
}
