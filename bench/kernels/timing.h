/* What every kernel prints: one line that bench/compare.py reads. */
#ifndef KERNEL_TIMING_H
#define KERNEL_TIMING_H

#include <stdio.h>
#include <time.h>

static inline double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* Ends a repetition: the compiler may not merge, interchange or drop repetitions of the same work. */
static inline void end_repetition(void) { __asm__ volatile("" ::: "memory"); }

/* `check` is a result of the kernel: variants that compute something else are not compared. */
static inline void report(double seconds, double check) { printf("seconds %.9f check %.15g\n", seconds, check); }

#endif
