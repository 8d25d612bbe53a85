/* A rod that conducts heat, with coarrays: each image has a piece of it and puts its ends into the neighbours' pieces.
 *     xmpcc -O3 -o coarray_halo coarray_halo.c && xmprun -n 4 ./coarray_halo */
#include <stdio.h>
#include <xmp.h>

#define CELLS 1000
#define STEPS 2000

double rod[CELLS + 2]:[*], energy:[*]; /* rod[0] and rod[CELLS + 1] belong to the neighbours */
double next[CELLS + 2];

int main(void) {
    const int me = xmpc_this_image(), images = xmp_num_images();

    rod[:] = 0;
    if (me == 0) rod[1:CELLS / 10] = 100;
    for (int step = 0; step < STEPS; step++) {
        /* The outer ends are insulated. */
        if (me > 0) rod[CELLS + 1]:[me - 1] = rod[1];
        else rod[0] = rod[1];
        if (me < images - 1) rod[0]:[me + 1] = rod[CELLS];
        else rod[CELLS + 1] = rod[CELLS];
        xmp_sync_all(NULL);

        next[1:CELLS] = rod[1:CELLS] + 0.25 * (rod[0:CELLS] - 2 * rod[1:CELLS] + rod[2:CELLS]);
        rod[1:CELLS] = next[1:CELLS];
        xmp_sync_all(NULL);
    }

    double mine = 0;
    for (int i = 1; i <= CELLS; i++) mine += rod[i];
    energy:[0] += mine;
    xmp_sync_all(NULL);
    if (me == 0) printf("energy %.6f after %d steps on %d images, %.6f where the rod begins\n", energy, STEPS, images, rod[1]);
    return 0;
}
