/* Plucks the string and follows its highest point.
 *
 *   make && xmprun -n 4 ./string
 *   make clean && make CC=gcc && ./string           (the same program, serial)
 */
#include <stdio.h>

#include "wave.h"

int main(void) {
    wave_pluck(POINTS / 4, 1.0);
    for (int step = 0; step <= 2000; step++) {
        if (step % 500 == 0) {
            int where;
            const double top = highest(height, &where), squares = sum_of_squares(height);
#pragma xmp task on wave_nodes[0]
            printf("step %4d: highest at point %4d, %.9f; sum of squares %.6f\n", step, where, top, squares);
        }
        wave_step();
    }
    return 0;
}
