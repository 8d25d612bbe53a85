/* What random programs have in common. Compiled by plain gcc they run on one node, without <xmp.h>. */
#include <stdio.h>
#include <string.h>
#ifdef _XMP
#include <xmp.h>
#endif

typedef struct {
    long key; /* no padding: bytes are compared */
    double weight;
} pair;

static int everybody = 1, myself = 0;

static void find_nodes(void) {
#ifdef _XMP
    everybody = xmp_all_num_nodes();
    myself = xmpc_all_node_num();
    char name[32]; /* a file for each node: mpiexec may mix the lines of several */
    snprintf(name, sizeof name, "lines.%d", myself);
    if (freopen(name, "w", stdout) == NULL) perror(name);
#endif
}

/* Whether this node prints what node `node` knows. */
static inline int speaks(int node) {
#ifdef _XMP
    return myself == node;
#else
    return node >= 0;
#endif
}

/* Factor d of `rank` ones, whose product is `count`. */
static int side(int count, int rank, int d, int way) {
    int divisors[16], found = 0;
    if (d == rank - 1 && rank == 1) return count;
    for (int k = 1; k <= count; k++)
        if (count % k == 0) divisors[found++] = k;
    const int first = divisors[way % found];
    return d == 0 ? first : side(count / first, rank - 1, d - 1, way / 3);
}

/* Some run of all nodes. */
static inline int part_count(int way) { return 1 + way % everybody; }
static inline int part_first(int way) { return (way / 7) % (everybody - part_count(way) + 1); }

/* The least n of block(n). */
static inline int at_least(int extent, int nodes) { return (extent + nodes - 1) / nodes; }

/* Blocks of uneven sizes, some of them empty. */
static inline void share(int *sizes, int nodes, int extent, int seed) {
    int left = extent;
    for (int k = 0; k < nodes; k++) {
        const int wanted = (seed * 7 + k * 5) % (2 * extent / nodes + 2);
        sizes[k] = k == nodes - 1 || wanted > left ? left : wanted;
        left -= sizes[k];
    }
}

static inline long mixed(long x) { return (x * 13 + 5) % 89; }

static inline void say(int node, const char *name, long value) {
    if (speaks(node)) printf("%s: %ld\n", name, value);
}

static inline long hash(const char *bytes, long count) {
    unsigned long sum = 7;
    for (long k = 0; k < count; k++) sum = sum * 31 + (unsigned char)bytes[k];
    return (long)(sum >> 1);
}
