/* The clock of the kernels, and what they print: records that bench/compare.py and bench/coarray_kernels.py read. */
#ifndef KERNEL_TIMING_H
#define KERNEL_TIMING_H

#include <time.h>

#include "../records.h"

static inline double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* Ends a repetition: the compiler may not merge, interchange or drop repetitions of the same work. */
static inline void end_repetition(void) { __asm__ volatile("" ::: "memory"); }

/* The operation is named by who starts the kernel. */
static inline void report(double seconds, double check) {
    const double microseconds = 1e6 * seconds;
    bench_cell("", 0, NULL, &microseconds, 1);
    bench_check(check);
    bench_end();
}

#endif
