/* Integer Sort in XMP/C, as in the paper on coarrays (figure 5): the images tell each other where their keys go, a gmove brings
 * that together, and keys are put. */
#include <xmp.h>

#include "is.h"

#pragma xmp nodes p[*]
#pragma xmp template t[MOST_NODES]
#pragma xmp distribute t[cyclic] onto p

static int key[KEYS], in_count[MOST_NODES], last_key;
#pragma xmp coarray key:[*]
#pragma xmp coarray in_count:[*]
#pragma xmp coarray last_key:[*]

/* rcv_displ[i][j]: where on image i the keys of image j begin. */
static int rcv_displ[MOST_NODES][MOST_NODES], dst_displ[MOST_NODES][MOST_NODES];
#pragma xmp align rcv_displ[i][*] with t[i]

static int own[KEYS], sorted[KEYS];
static struct ranking ranking;
static int images, me, first, count;
static double communication;

/* Fills rcv_displ; how many keys this image gets. */
static int place_keys(const int *out) {
    int mine = 0;
    for (int i = 0; i < images; i++) in_count[me]:[i] = out[i];
    xmp_sync_all(NULL);
#pragma xmp loop on t[i]
    for (int i = 0; i < images; i++) {
        int next = 0;
        for (int j = 0; j < images; j++) {
            rcv_displ[i][j] = next;
            next += in_count[j];
        }
    }
    for (int j = 0; j < images; j++) mine += in_count[j];
    return mine;
}

static int move_keys(const int *out, const int *out_place) {
    const int mine = place_keys(out);
#pragma xmp gmove
    dst_displ[0:images][0:images] = rcv_displ[0:images][0:images];
    for (int i = 0; i < images; i++)
        if (out[i] > 0) key[dst_displ[i][me]:out[i]]:[i] = sorted[out_place[i]:out[i]];
    xmp_sync_all(NULL);
    return mine;
}

/* One ranking; the number of keys that this image ranked. */
static int rank_all(int iteration, int *right) {
    static int counts[BUCKETS + TESTS], totals[BUCKETS + TESTS];
    int begin[MOST_NODES + 1], out[MOST_NODES], out_place[MOST_NODES];
    change_keys(own, first, iteration);
    count_buckets(own, first, count, counts);
    double start = seconds_now();
    memcpy(totals, counts, sizeof totals);
#pragma xmp reduction(+ : totals)
    communication += seconds_now() - start;
    sort_into_buckets(own, count, counts, sorted);
    deal_buckets(totals, images, begin);
    split(counts, begin, images, out, out_place);
    start = seconds_now();
    const int mine = move_keys(out, out_place);
    communication += seconds_now() - start;
    rank_keys(key, mine, totals, begin[me], begin[me + 1], &ranking);
    *right += right_ranks(&ranking, totals + BUCKETS, iteration);
    return mine;
}

/* Whether the last key of the image before is not above my first. */
static int joins(int mine) {
    int before = -1;
    last_key = mine > 0 ? sorted[mine - 1] : ranking.lowest;
    xmp_sync_all(NULL);
    if (me > 0) before = last_key:[me - 1];
    return mine == 0 || before <= sorted[0];
}

int main(void) {
    int right = 0, in_order;
    me = xmpc_this_image(), images = xmp_num_images();
    first = (int)((long long)KEYS * me / images);
    count = (int)((long long)KEYS * (me + 1) / images) - first;
    make_keys(own, first, count);
    int mine = rank_all(1, &right); /* not timed */
    right = 0, communication = 0;
#pragma xmp barrier
    const double start = seconds_now();
    for (int iteration = 1; iteration <= ITERATIONS; iteration++) mine = rank_all(iteration, &right);
    const double seconds = seconds_now() - start, waited = communication;
    in_order = fully_sorted(key, mine, &ranking, sorted);
    in_order = joins(mine) && in_order;
#pragma xmp reduction(+ : right, in_order)
    const int verified = right == TESTS * ITERATIONS && in_order == images;
    if (me == 0) nas_report(seconds, right, waited, verified);
    return !verified;
}
