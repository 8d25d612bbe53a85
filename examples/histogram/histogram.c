/* How many steps numbers take until they reach 1 (n/2 for even n, 3n+1 for odd n), as a histogram that all images fill at once.
 *
 *   xmpcc -O3 -o histogram histogram.c && xmprun -n 4 ./histogram
 *   ./histogram 1000000                                     the numbers up to 1000000 instead of 300000
 *
 * Nobody knows in advance which numbers take long, so the work is not divided beforehand: whoever is free takes the next
 * chunk from a counter on image 0. The bins are spread over the images; each image counts for itself and adds what it has
 * to all bins at the end. Both are atomic updates of another image's memory, and that image need not do anything for it. */
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

#define CHUNK 1000
#define BINS 24
#define STEPS_PER_BIN 20 /* the last bin has all that take longer */

long next_number:[*]; /* the copy of image 0 is the counter */
long bins[BINS]:[*];  /* image k keeps those from first(k) up to first(k + 1) */

static int first(int image) { return image * BINS / xmp_num_images(); }

static int steps_of(long n) {
    int steps = 0;
    for (; n != 1; steps++) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
}

static void count(long limit, long *counted) {
    for (;;) {
        long begin;
        xmp_atomic_fetch_add(next_number:[0], CHUNK, &begin); /* takes the chunk, whoever else wants one */
        if (begin > limit) return;
        const long end = begin + CHUNK <= limit ? begin + CHUNK : limit + 1;
        for (long n = begin; n < end; n++) {
            const int bin = steps_of(n) / STEPS_PER_BIN;
            counted[bin < BINS ? bin : BINS - 1]++;
        }
    }
}

int main(int argc, char **argv) {
    const long limit = argc > 1 ? atol(argv[1]) : 300000;
    const int me = xmpc_this_image(), images = xmp_num_images();
    long counted[BINS] = {0};

    next_number = 1;
    bins[:] = 0;
    xmp_sync_all(NULL); /* nobody touches another image's copy before it has its first value */

    count(limit, counted);
    for (int image = 0; image < images; image++) {
        const int begin = first(image), n = first(image + 1) - begin;
        if (n > 0) bins[begin:n]:[image] += counted[begin:n]; /* element by element, each addition is atomic */
    }
    xmp_sync_all(NULL); /* all additions have arrived */

    if (me != 0) return 0;
    for (int image = 0; image < images; image++) {
        const int begin = first(image), n = first(image + 1) - begin;
        if (n > 0) bins[begin:n] = bins[begin:n]:[image]; /* one image fetches what the others keep */
    }
    const char bar[] = "##################################################";
    long largest = 1;
    for (int bin = 0; bin < BINS; bin++) largest = bins[bin] > largest ? bins[bin] : largest;
    for (int bin = 0; bin < BINS; bin++)
        printf("%3d steps %7ld %.*s\n", bin * STEPS_PER_BIN, bins[bin], (int)(bins[bin] * 50 / largest), bar);
    return 0;
}
