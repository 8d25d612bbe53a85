/* Liquid argon: molecular dynamics of Lennard-Jones atoms in a periodic box, in the local view of XcalableMP.
 *
 * The box is cut into slabs along x, one for each image. An image moves the atoms in its slab. What crosses a boundary is put
 * straight into the neighbour's inbox, a coarray: atoms that move over, and copies of the atoms that lie near enough to be felt
 * on the other side. An inbox for each side, so nobody waits for a turn; sync_images tells the neighbours, and only them.
 *
 *     xmpcc -O3 -o argon argon.c -lm
 *     xmprun -n 2 ./argon 12 100          12 x 12 x 12 cells of 4 atoms, 100 steps
 *
 * Units: diameter and well depth of the potential and mass of an atom are 1. The state is that of a common benchmark of molecular
 * dynamics (density 0.8442, temperature 1.44, cut-off 2.5, step 0.005): its potential energy at the start is -6.77337 for each atom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>

#define DENSITY 0.8442
#define TEMPERATURE 1.44
#define REACH 2.5 /* atoms farther apart do not feel each other */
#define STEP 0.005
#define MOST 200000   /* atoms on one image, copies of neighbours' included */
#define CROSSING 40000 /* atoms that cross one boundary at once */

typedef struct {
    double position[3], velocity[3];
} atom_t;
typedef struct {
    double position[3];
} place_t;

#pragma xmp nodes p[*]

/* Inboxes: [0] is filled by the left neighbour, [1] by the right one. */
atom_t movers[2][CROSSING]:[*];
place_t copies[2][CROSSING]:[*];
int mover_count[2]:[*], copy_count[2]:[*];

static atom_t atom[MOST];
static place_t place[MOST]; /* own atoms, then the copies */
static double force[MOST][3];
static int own, all; /* numbers of own atoms, and with copies */

static double length;    /* of the box, in each direction */
static double low, high; /* this image's slab */
static int me, images, left, right;

static void synchronise_neighbours(void) {
    int neighbours[] = {left, right};
    if (images > 1) xmp_sync_images(left == right ? 1 : 2, neighbours, NULL);
}

static void overflow(const char *what, int most) {
    fprintf(stderr, "argon: image %d has more than %d %s; use more images or a smaller box\n", me, most, what);
    xmp_exit(1);
}

/* Atoms of a face-centred cubic lattice with random velocities, the same whatever the number of images. */
static void fill(int cells) {
    const double corner[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    const double edge = length / cells;
    const long atoms = 4L * cells * cells * cells;
    double sum[3] = {0}, squares = 0;
    unsigned long long state = 88172645463325252ULL;
    for (int pass = 0; pass < 2; pass++) { /* first the mean velocity and temperature, then the atoms */
        const double scale = pass ? sqrt(TEMPERATURE * 3 * (atoms - 1) / squares) : 1;
        state = 88172645463325252ULL;
        for (long k = 0; k < atoms; k++) {
            const long cell = k / 4;
            const double *c = corner[k % 4];
            atom_t a = {{(cell % cells + c[0]) * edge, (cell / cells % cells + c[1]) * edge, (cell / cells / cells + c[2]) * edge},
                        {0}};
            for (int d = 0; d < 3; d++) {
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                const double v = (double)(state >> 11) / (1ULL << 53) - 0.5 - sum[d] / atoms * pass;
                if (pass == 0) sum[d] += v, squares += v * v;
                a.velocity[d] = v * scale;
            }
            if (pass && a.position[0] >= low && a.position[0] < high) {
                if (own == MOST) overflow("atoms", MOST);
                atom[own++] = a;
            }
        }
        for (int d = 0; d < 3 && pass == 0; d++) squares -= sum[d] * sum[d] / atoms;
    }
}

/* Atoms that left the slab go to the neighbours; no step is long enough to cross a whole slab. */
static void move_over(void) {
    static atom_t leaving[2][CROSSING];
    int count[2] = {0, 0}, kept = 0;
    for (int k = 0; k < own; k++) {
        const double x = atom[k].position[0];
        const int side = x < low ? 0 : x >= high ? 1 : -1;
        if (side < 0) {
            atom[kept++] = atom[k];
        } else {
            if (count[side] == CROSSING) overflow("atoms that change sides", CROSSING);
            leaving[side][count[side]] = atom[k];
            leaving[side][count[side]++].position[0] = fmod(x + length, length);
        }
    }
    own = kept;
    mover_count[1]:[left] = count[0];
    mover_count[0]:[right] = count[1];
    if (count[0] > 0) movers[1][0:count[0]]:[left] = leaving[0][0:count[0]];
    if (count[1] > 0) movers[0][0:count[1]]:[right] = leaving[1][0:count[1]];
    synchronise_neighbours();
    for (int side = 0; side < 2; side++) {
        if (own + mover_count[side] > MOST) overflow("atoms", MOST);
        memcpy(atom + own, movers[side], mover_count[side] * sizeof(atom_t));
        own += mover_count[side];
    }
}

/* The neighbours get copies of the atoms within reach of their slabs, shifted where the box closes on itself. */
static void show_neighbours(void) {
    static place_t near[2][CROSSING];
    int count[2] = {0, 0};
    for (int k = 0; k < own; k++) {
        memcpy(place[k].position, atom[k].position, sizeof place[k].position);
        const double x = place[k].position[0];
        for (int side = 0; side < 2; side++) {
            if (side == 0 ? x >= low + REACH : x < high - REACH) continue;
            if (count[side] == CROSSING) overflow("atoms near a side", CROSSING);
            near[side][count[side]] = place[k];
            if (side == 0 && me == 0) near[side][count[side]].position[0] += length;
            if (side == 1 && me == images - 1) near[side][count[side]].position[0] -= length;
            count[side]++;
        }
    }
    copy_count[1]:[left] = count[0];
    copy_count[0]:[right] = count[1];
    if (count[0] > 0) copies[1][0:count[0]]:[left] = near[0][0:count[0]];
    if (count[1] > 0) copies[0][0:count[1]]:[right] = near[1][0:count[1]];
    synchronise_neighbours();
    all = own;
    for (int side = 0; side < 2; side++) {
        if (all + copy_count[side] > MOST) overflow("atoms", MOST);
        memcpy(place + all, copies[side], copy_count[side] * sizeof(place_t));
        all += copy_count[side];
    }
}

/* Forces on the own atoms, by cells of at least the reach; returns their potential energy. */
static double forces(void) {
    static int first[MOST], next[MOST];
    const int rows = (int)(length / REACH), columns = (int)((high - low) / REACH) + 2;
    const double row = length / rows, column = (high - low + 2 * REACH) / columns;
    const int cells = columns * rows * rows;
    if (cells > MOST) overflow("cells", MOST);
    for (int c = 0; c < cells; c++) first[c] = -1;
    for (int k = 0; k < all; k++) {
        const double *x = place[k].position;
        int i = (int)((x[0] - low + REACH) / column), j = (int)(x[1] / row), l = (int)(x[2] / row);
        i = i < 0 ? 0 : i >= columns ? columns - 1 : i;
        const int c = (i * rows + (j + rows) % rows) * rows + (l + rows) % rows;
        next[k] = first[c], first[c] = k;
    }
    double energy = 0;
    memset(force, 0, own * sizeof force[0]);
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < rows; j++)
            for (int l = 0; l < rows; l++)
                for (int k = first[(i * rows + j) * rows + l]; k >= 0; k = next[k]) {
                    if (k >= own) continue;
                    for (int n = 0; n < 27; n++) {
                        const int ii = i + n / 9 - 1, jj = (j + n / 3 % 3 - 1 + rows) % rows, ll = (l + n % 3 - 1 + rows) % rows;
                        if (ii < 0 || ii >= columns) continue;
                        for (int m = first[(ii * rows + jj) * rows + ll]; m >= 0; m = next[m]) {
                            if (m == k) continue;
                            double r[3], square = 0;
                            for (int d = 0; d < 3; d++) {
                                r[d] = place[k].position[d] - place[m].position[d];
                                if (d > 0) r[d] -= length * rint(r[d] / length);
                                square += r[d] * r[d];
                            }
                            if (square >= REACH * REACH) continue;
                            const double s6 = 1 / (square * square * square);
                            for (int d = 0; d < 3; d++) force[k][d] += 48 * s6 * (s6 - 0.5) / square * r[d];
                            energy += 2 * s6 * (s6 - 1); /* half of the pair's: the partner counts the other half */
                        }
                    }
                }
    return energy;
}

static void kick(void) {
    for (int k = 0; k < own; k++)
        for (int d = 0; d < 3; d++) atom[k].velocity[d] += 0.5 * STEP * force[k][d];
}

static void drift(void) {
    for (int k = 0; k < own; k++) {
        for (int d = 0; d < 3; d++) atom[k].position[d] += STEP * atom[k].velocity[d];
        for (int d = 1; d < 3; d++) atom[k].position[d] -= length * floor(atom[k].position[d] / length);
    }
}

static void report(int step, double potential) {
    double kinetic = 0, atoms = own;
    for (int k = 0; k < own; k++)
        for (int d = 0; d < 3; d++) kinetic += 0.5 * atom[k].velocity[d] * atom[k].velocity[d];
#pragma xmp reduction(+ : potential, kinetic, atoms)
    if (me == 0)
        printf("step %4d  atoms %.0f  temperature %.6f  potential %.6f  total %.6f\n", step, atoms, 2 * kinetic / (3 * (atoms - 1)),
               potential / atoms, (potential + kinetic) / atoms);
}

int main(int argc, char **argv) {
    const int cells = argc > 1 ? atoi(argv[1]) : 10, steps = argc > 2 ? atoi(argv[2]) : 100;
    me = xmpc_this_image(), images = xmp_num_images();
    left = (me + images - 1) % images, right = (me + 1) % images;
    length = cells * cbrt(4 / DENSITY);
    low = length * me / images, high = length * (me + 1) / images;
    if (high - low < REACH || length < 3 * REACH) {
        if (me == 0) fprintf(stderr, "argon: slabs of %g are too thin for a reach of %g; use fewer images or a larger box\n", high - low, REACH);
        return 1;
    }
    fill(cells);
    const double start = xmp_wtime();
    show_neighbours();
    double potential = forces();
    report(0, potential);
    for (int step = 1; step <= steps; step++) {
        kick();
        drift();
        move_over();
        show_neighbours();
        potential = forces();
        kick();
        if (step % 50 == 0 || step == steps) report(step, potential);
    }
    if (me == 0) fprintf(stderr, "%d steps in %.2f s\n", steps, xmp_wtime() - start);
    return 0;
}
