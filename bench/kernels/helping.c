/* What it costs image 1 to help while it computes, and how long image 0 waits for it: puts of 8 bytes, each with its acknowledgement,
 * between images that share no memory. The word `asks` after the program's name: puts to an image that computes, too, which needs the
 * thread that helps. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include <xmp.h>

#include "records.h"

enum { SAMPLES = 9, ROW = 200, PAUSES = 20, WORK = 4000000 };
#pragma xmp nodes p[2]
static volatile double result;
static double word;
static volatile int stop;
#pragma xmp coarray word, stop : [*]

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static void compute(void) {
    double sum = 0;
    for (int i = 0; i < WORK; i++) sum = 0.999999 * sum + i;
    result = sum;
}

static double puts_in_a_row(int count) {
    const double start = now();
    for (int i = 0; i < count; i++) {
        word:[1] = i;
        xmp_sync_memory(NULL);
    }
    return (now() - start) / count;
}

static double puts_after_pauses(void) {
    const struct timespec pause = {0, 15000000};
    double sum = 0;
    for (int i = 0; i < PAUSES; i++) {
        nanosleep(&pause, NULL);
        sum += puts_in_a_row(1);
    }
    return sum / PAUSES;
}

/* Image 1 computes until image 0 is done: the time of one computation there, as image 0 sees it in the end. */
static double until_asked_to_stop(void) {
    const double start = now();
    int times = 0;
    for (; !stop; times++) compute();
    return (now() - start) / times;
}

static void when_asked(int me) {
    double row[SAMPLES], apart[SAMPLES], working[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        stop = 0;
#pragma xmp barrier
        if (me == 0) {
            apart[sample] = puts_after_pauses();
            row[sample] = puts_in_a_row(ROW);
            stop:[1] = 1;
            xmp_sync_memory(NULL);
        } else {
            working[sample] = until_asked_to_stop();
        }
#pragma xmp bcast(working) from p[1]
    }
    if (me != 0) return;
    bench_cell("put to an image that computes, after a pause", 8, NULL, apart, SAMPLES);
    bench_cell("put to an image that computes, in a row", 8, NULL, row, SAMPLES);
    bench_cell("computing, asked now and then", 0, NULL, working, SAMPLES);
}

int main(int count, char **words) {
    (void)words;
    const int me = xmpc_this_image();
    double alone[SAMPLES], waiting[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
#pragma xmp barrier
        const double start = now();
        if (me == 1) compute();
        alone[sample] = now() - start;
    }
#pragma xmp bcast(alone) from p[1]
    for (int sample = 0; sample < SAMPLES; sample++) {
#pragma xmp barrier
        if (me == 0) waiting[sample] = puts_in_a_row(ROW);
    }
    if (me == 0) {
        bench_cell("computing", 0, NULL, alone, SAMPLES);
        bench_cell("put to an image that waits, in a row", 8, NULL, waiting, SAMPLES);
    }
    if (count > 1) when_asked(me);
    if (me == 0) bench_end();
    return 0;
}
