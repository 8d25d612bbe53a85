/* Pi by random points in a square: the share of them that lies in the quarter of a circle. The result is the same, to the last
 * digit, on any number of nodes.
 *
 *   xmpcc -O3 -o monte_carlo monte_carlo.c -lm && xmprun -n 4 ./monte_carlo
 *   gcc   -O3 -o monte_carlo monte_carlo.c -lm && ./monte_carlo              (the same program, serial)
 *
 * Two things make it so. Each batch of points has random numbers of its own, wherever it is computed: they are the part of one
 * sequence that begins POINTS numbers after that of the batch before. And what is added are integers: a sum of floating-point
 * numbers depends on the order of the additions, which is another one on another number of nodes. */
#include <math.h>
#include <stdio.h>

#define BATCHES 1000
#define POINTS 10000LL /* of a batch; each takes two numbers */

/* The generator of Lehmer: x becomes FACTOR * x mod MODULUS. */
#define FACTOR 630360016LL
#define MODULUS 2147483647LL

#pragma xmp nodes p[*]
#pragma xmp template batch[BATCHES]
#pragma xmp distribute batch[cyclic] onto p

/* What `steps` steps of the generator make of 1: FACTOR to the power of `steps`. */
static long long jump(long long steps) {
    long long result = 1, factor = FACTOR;
    for (; steps > 0; steps /= 2) {
        if (steps % 2 == 1) result = result * factor % MODULUS;
        factor = factor * factor % MODULUS;
    }
    return result;
}

static long long hits_of(int number) {
    long long x = jump(2 * POINTS * number), hits = 0;
    for (int k = 0; k < POINTS; k++) {
        const long long y = x * FACTOR % MODULUS;
        hits += x * x + y * y < MODULUS * MODULUS;
        x = y * FACTOR % MODULUS;
    }
    return hits;
}

int main(void) {
    long long hits = 0;
#pragma xmp loop on batch[k] reduction(+:hits)
    for (int k = 0; k < BATCHES; k++) hits += hits_of(k);

    const double points = (double)(BATCHES * POINTS), share = hits / points;
#pragma xmp task on p[0]
    printf("%lld of %.0f points: pi = %.6f, give or take %.6f\n", hits, points, 4 * share, 4 * sqrt(share * (1 - share) / points));
    return 0;
}
