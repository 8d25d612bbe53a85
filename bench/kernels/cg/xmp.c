/* Conjugate Gradient in XMP/C, in both variants of the paper on coarrays (figure 7 and section 5.2): sums along the row by
 * get-accumulate with barriers, or, with -DPUT, by put-accumulate with sync_memory. Compile with -DNODES=n. */
#include <xmp.h>

#include "cg.h"

#pragma xmp nodes pros[ROWS][COLUMNS]

static double w[BLOCK_ROWS], w1[BLOCK_ROWS];
#pragma xmp coarray w:[*]
#pragma xmp coarray w1:[*]

static double total(double value) {
#pragma xmp reduction(+ : value) on pros[*][:]
    return value;
}

#ifndef PUT

/* w1 shows my sums so far to the others, who add their part of them to theirs. */
static void sum_products(double *products, double *to) {
    memcpy(w1, products, sizeof w1);
#pragma xmp barrier
    for (int s = 0; s < step_count; s++) {
        const int take = steps[s].take, count = steps[s].count, k = steps[s].partner;
        w[take:count] += w1[take:count]:[k];
#pragma xmp barrier
        if (s + 1 == step_count) break;
        memcpy(&w1[take], &w[take], sizeof(double) * count);
#pragma xmp barrier
    }
    if (holder == node_at(my_row, my_column))
        memcpy(to, &w[held_from], sizeof(double) * BLOCK_COLUMNS);
    else
        to[0:BLOCK_COLUMNS] = w[held_from:BLOCK_COLUMNS]:[holder];
#if NODES > 2 /* else nobody reads another's w */
#pragma xmp barrier
#endif
}

#else

/* Each adds to the other's sums what it has of them; w1 keeps what is given while w changes. */
static void sum_products(double *products, double *to) {
    memcpy(w1, products, sizeof w1);
    for (int s = 0; s < step_count; s++) {
        const int give = steps[s].give, take = steps[s].take, count = steps[s].count, k = steps[s].partner;
        xmp_sync_image(k, NULL); /* its w may be added to */
        w[give:count]:[k] += w1[give:count];
#pragma xmp sync_memory
        xmp_sync_image(k, NULL); /* it has added to mine */
        if (s + 1 < step_count) memcpy(&w1[take], &w[take], sizeof(double) * count);
    }
    if (holder == node_at(my_row, my_column)) {
        memcpy(to, &w[held_from], sizeof(double) * BLOCK_COLUMNS);
        return;
    }
    xmp_sync_image(holder, NULL);
    to[0:BLOCK_COLUMNS] = w[held_from:BLOCK_COLUMNS]:[holder];
    xmp_sync_image(holder, NULL);
}

#endif

int main(void) {
    const int me = xmpc_this_image();
    prepare(me, w);
    double zeta = 0;
#pragma xmp barrier
    const double start = seconds_now();
    for (int i = 0; i < OUTER; i++) zeta = improve(w);
    const double seconds = seconds_now() - start;
    if (me == 0) nas_report(seconds, zeta, communication, verified(zeta));
    return !verified(zeta);
}
