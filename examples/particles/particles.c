/* Particles in a square that is periodic in both directions; each image has the particles that are in its strip of it.
 *
 *   xmpcc -O3 -o particles particles.c && xmprun -n 4 ./particles
 *   ./particles 100000 200                                            100000 particles, 200 steps
 *
 * A particle that leaves a strip moves to the image of the strip where it arrives, however far away. Whoever sends particles
 * reserves places in the inbox there by an atomic addition and puts the particles into them. No image knows in advance how many
 * it will get or from whom, and no image has to receive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>

#define MOST 400000 /* particles of one image */
#define CELLS 8     /* the square is counted in CELLS x CELLS parts at the end */

typedef struct {
    double x, y, vx, vy;
} particle_t;

particle_t inbox[MOST]:[*];
int arrived:[*]; /* places of the inbox that are taken */

static particle_t own[MOST], leaving[MOST];
static int owned, me, images;

static int image_of(double x) { return (int)(x * images); }

/* Numbers in [0, 1) that depend on the particle only, so that any number of images starts with the same particles. */
static double random_of(unsigned long long key) {
    key = (key + 1) * 0x9e3779b97f4a7c15ULL;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ULL;
    key = (key ^ key >> 27) * 0x94d049bb133111ebULL;
    return (double)((key ^ key >> 31) >> 11) / (1ULL << 53);
}

static void require(int places) {
    if (places <= MOST) return;
    fprintf(stderr, "particles: image %d would have more than %d particles\n", me, MOST);
    abort();
}

static void begin(int particles) {
    for (int k = 0; k < particles; k++) {
        const double x = random_of(4ULL * k) * 0.25, y = random_of(4ULL * k + 1); /* all in the leftmost quarter */
        if (image_of(x) != me) continue;
        require(owned + 1);
        own[owned++] = (particle_t){x, y, random_of(4ULL * k + 2) * 0.02, random_of(4ULL * k + 3) * 0.02 - 0.01};
    }
}

static double wrapped(double x) { return x < 0 ? x + 1 : x >= 1 ? x - 1 : x; }

static void move(void) {
    for (int k = 0; k < owned; k++) {
        own[k].x = wrapped(own[k].x + own[k].vx);
        own[k].y = wrapped(own[k].y + own[k].vy);
    }
}

static void migrate(void) {
    arrived = 0;
    xmp_sync_all(NULL); /* all inboxes are empty */
    for (int image = 0; image < images; image++) {
        if (image == me) continue;
        int kept = 0, count = 0, place;
        for (int k = 0; k < owned; k++)
            if (image_of(own[k].x) == image) leaving[count++] = own[k];
            else own[kept++] = own[k];
        owned = kept;
        if (count == 0) continue;
        xmp_atomic_fetch_add(arrived:[image], count, &place);
        require(place + count);
        inbox[place:count]:[image] = leaving[0:count];
    }
    xmp_sync_all(NULL); /* all particles have arrived */
    require(owned + arrived);
    memcpy(own + owned, inbox, arrived * sizeof(particle_t));
    owned += arrived;
}

#pragma xmp nodes p[*]

int main(int argc, char **argv) {
    const int particles = argc > 1 ? atoi(argv[1]) : 20000, steps = argc > 2 ? atoi(argv[2]) : 100;
    me = xmpc_this_image(), images = xmp_num_images();
    begin(particles);
    for (int step = 0; step < steps; step++) {
        move();
        migrate();
    }
    int cell[CELLS][CELLS] = {{0}};
    for (int k = 0; k < owned; k++) cell[(int)(own[k].y * CELLS)][(int)(own[k].x * CELLS)]++;
#pragma xmp reduction(+:cell)
    if (me == 0)
        for (int j = 0; j < CELLS; j++) {
            for (int i = 0; i < CELLS; i++) printf("%6d", cell[j][i]);
            printf("\n");
        }
    return 0;
}
