/* Integer Sort of the NAS Parallel Benchmarks: what does not depend on how nodes communicate. Every node holds a block of the
 * keys; buckets of values are dealt out so that every node ranks about as many keys; keys move to the node of their bucket. */
#ifndef KERNEL_IS_H
#define KERNEL_IS_H

#include <string.h>

#include "../nas.h"

#if CLASS == 'S'
enum { LOG_KEYS = 16, LOG_VALUES = 11 };
#elif CLASS == 'W'
enum { LOG_KEYS = 20, LOG_VALUES = 16 };
#elif CLASS == 'A'
enum { LOG_KEYS = 23, LOG_VALUES = 19 };
#else
#error "CLASS is 'S', 'W' or 'A'"
#endif
#define LOG_BUCKETS 10
#define KEYS (1 << LOG_KEYS)
#define VALUES (1 << LOG_VALUES)
#define BUCKETS (1 << LOG_BUCKETS)
#define ITERATIONS 10
#define TESTS 5
#define MOST_NODES 64

/* ---- ranks of five keys, from the report ---- */
#if CLASS == 'S'
static const int test_index[TESTS] = {48427, 17148, 23627, 62548, 4431};
static const int test_rank[TESTS] = {0, 18, 346, 64917, 65463};
static int expected_rank(int t, int iteration) { return test_rank[t] + (t <= 2 ? iteration : -iteration); }
#elif CLASS == 'W'
static const int test_index[TESTS] = {357773, 934767, 875723, 898999, 404505};
static const int test_rank[TESTS] = {1249, 11698, 1039987, 1043896, 1048018};
static int expected_rank(int t, int iteration) { return test_rank[t] + (t < 2 ? iteration - 2 : -iteration); }
#else
static const int test_index[TESTS] = {2112377, 662041, 5336171, 3642833, 4250760};
static const int test_rank[TESTS] = {104, 17523, 123928, 8288932, 8388264};
static int expected_rank(int t, int iteration) { return test_rank[t] + (t <= 2 ? iteration - 1 : 1 - iteration); }
#endif

static inline int bucket_of(int key) { return key >> (LOG_VALUES - LOG_BUCKETS); }

/* Keys first .. first + count - 1 of the sequence. */
static void make_keys(int *keys, int first, int count) {
    uint64_t state = nas_skip(NAS_SEED, (uint64_t)first * 4);
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += nas_random(&state);
        keys[i] = (int)(sum * (VALUES / 4));
    }
}

/* Each iteration ranks slightly other keys. */
static void change_keys(int *keys, int first, int iteration) {
    if (first > 0) return;
    keys[iteration] = iteration;
    keys[iteration + ITERATIONS] = VALUES - iteration;
}

/* How many keys of each bucket; then, behind, the values of the test keys that are here. Summed over the nodes this tells all. */
static void count_buckets(const int *keys, int first, int count, int counts[BUCKETS + TESTS]) {
    memset(counts, 0, (BUCKETS + TESTS) * sizeof(int));
    for (int i = 0; i < count; i++) counts[bucket_of(keys[i])]++;
    for (int t = 0; t < TESTS; t++)
        if (test_index[t] >= first && test_index[t] < first + count) counts[BUCKETS + t] = keys[test_index[t] - first];
}

/* Keys in the order of their buckets. */
static void sort_into_buckets(const int *keys, int count, const int *counts, int *sorted) {
    static int place[BUCKETS];
    for (int b = 0, next = 0; b < BUCKETS; next += counts[b++]) place[b] = next;
    for (int i = 0; i < count; i++) sorted[place[bucket_of(keys[i])]++] = keys[i];
}

/* Node i gets buckets begin[i] .. begin[i + 1] - 1: the first ones that complete its share of the keys. */
static void deal_buckets(const int *totals, int nodes, int begin[MOST_NODES + 1]) {
    long long sum = 0;
    int node = 0;
    begin[0] = 0;
    for (int b = 0; b < BUCKETS; b++) {
        sum += totals[b];
        while (node + 1 < nodes && sum >= (long long)KEYS * (node + 1) / nodes) begin[++node] = b + 1;
    }
    while (node < nodes) begin[++node] = BUCKETS;
}

/* What this node sends to each: keys of its buckets lie together. */
static void split(const int *counts, const int *begin, int nodes, int *count, int *displacement) {
    for (int i = 0, next = 0; i < nodes; next += count[i++]) {
        displacement[i] = next;
        count[i] = 0;
        for (int b = begin[i]; b < begin[i + 1]; b++) count[i] += counts[b];
    }
}

/* The ranks of the keys of buckets first .. end - 1: rank[value - lowest] = number of keys of all nodes below that value. */
struct ranking {
    int lowest, values;  /* of this node */
    int below;           /* keys of other nodes below */
    int rank[VALUES + 1];
};
static void rank_keys(const int *keys, int count, const int *totals, int first, int end, struct ranking *result) {
    const int width = VALUES / BUCKETS;
    result->lowest = first * width;
    result->values = (end - first) * width;
    result->below = 0;
    for (int b = 0; b < first; b++) result->below += totals[b];
    int *const rank = result->rank;
    memset(rank, 0, (size_t)(result->values + 1) * sizeof(int));
    for (int i = 0; i < count; i++) rank[keys[i] - result->lowest + 1]++;
    rank[0] = result->below;
    for (int v = 0; v < result->values; v++) rank[v + 1] += rank[v];
}

/* How many of the test keys this node ranks as expected. */
static int right_ranks(const struct ranking *ranking, const int *test_values, int iteration) {
    int right = 0;
    for (int t = 0; t < TESTS; t++) {
        const int place = test_values[t] - ranking->lowest;
        if (place >= 0 && place < ranking->values) right += ranking->rank[place] == expected_rank(t, iteration);
    }
    return right;
}

/* Puts the keys where their ranks say; whether they are in order then. `sorted` gets them. */
static int fully_sorted(const int *keys, int count, struct ranking *ranking, int *sorted) {
    for (int i = 0; i < count; i++) sorted[ranking->rank[keys[i] - ranking->lowest]++ - ranking->below] = keys[i];
    for (int i = 1; i < count; i++)
        if (sorted[i - 1] > sorted[i]) return 0;
    return 1;
}

#endif
