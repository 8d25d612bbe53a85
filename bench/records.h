/* What measuring programs print: the records of bench/suite, a line of JSON each, which bench/suite/runner.py reads. */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include <stdio.h>

/* A record of one operation in one size, piece by piece. variant: NULL where the whole launch is one. */
static inline void bench_cell_begin(const char *operation, long long bytes, const char *variant) {
    printf("{\"kind\": \"cell\", \"operation\": \"%s\", \"bytes\": %lld", operation, bytes);
    if (variant) printf(", \"variant\": \"%s\"", variant);
}
static inline void bench_cell_values(const char *name, const double *values, int count) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++) printf("%s%.5f", i ? ", " : "", values[i]);
    printf("]");
}
static inline void bench_cell_end(void) { printf("}\n"); }

/* The whole of it: microseconds of every sample. */
static inline void bench_cell(const char *operation, long long bytes, const char *variant, const double *microseconds,
                              int count) {
    bench_cell_begin(operation, bytes, variant);
    bench_cell_values("slowest_us", microseconds, count);
    bench_cell_end();
}

/* A result of the computation: variants that compute something else are not compared. */
static inline void bench_check(double value) { printf("{\"kind\": \"check\", \"value\": %.15g}\n", value); }

/* All was printed: without it a launch counts for nothing. */
static inline void bench_end(void) {
    printf("{\"kind\": \"end\"}\n");
    fflush(stdout);
}

#endif
