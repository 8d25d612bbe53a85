/* What the NAS kernels share (D. Bailey and others, The NAS Parallel Benchmarks, RNR-94-007): the sequence of random numbers,
 * x(k + 1) = 5^13 x(k) modulo 2^46, and the records that they print. Written from the report. */
#ifndef KERNEL_NAS_H
#define KERNEL_NAS_H

#include <stdint.h>
#include <stdio.h>

#include "timing.h"

#ifndef CLASS
#define CLASS 'S' /* or 'W', 'A' */
#endif

#define NAS_SEED UINT64_C(314159265)
#define NAS_MULTIPLIER UINT64_C(1220703125)

/* Products of 64 bits wrap modulo 2^64, a multiple of 2^46. */
static inline uint64_t nas_product(uint64_t a, uint64_t b) { return a * b & ((UINT64_C(1) << 46) - 1); }

/* The next number of the sequence, in (0, 1). */
static inline double nas_random(uint64_t *x) {
    *x = nas_product(*x, NAS_MULTIPLIER);
    return (double)*x * 0x1p-46;
}

/* The state after `count` numbers. */
static inline uint64_t nas_skip(uint64_t x, uint64_t count) {
    for (uint64_t power = NAS_MULTIPLIER; count > 0; count /= 2, power = nas_product(power, power))
        if (count % 2) x = nas_product(x, power);
    return x;
}

/* `communication`: of the seconds, those in which node 0 communicated or waited for others. Without the official verification
 * there is no record. */
static inline void nas_report(double seconds, double check, double communication, int verified) {
    const double microseconds = 1e6 * communication;
    if (!verified) {
        fprintf(stderr, "not verified: %.15g is not the result of class %c\n", check, CLASS);
        return;
    }
    bench_cell("communication", 0, NULL, &microseconds, 1);
    report(seconds, check);
}

#endif
