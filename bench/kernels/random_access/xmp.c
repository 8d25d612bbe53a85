/* HPCC's RandomAccess: exclusive or of random values into a table over all nodes, as atomic operations on a coarray. Every
 * update counts, whoever makes it. */
#include <stdint.h>
#include <xmp.h>

#include "../timing.h"

#ifndef WORDS
#define WORDS (1 << 20) /* of the whole table; a power of two */
#endif
#ifndef UPDATES
#define UPDATES (1 << 20) /* in all */
#endif

static uint64_t table[WORDS]:[*];

static uint64_t next(uint64_t value) { return value << 1 ^ ((int64_t)value < 0 ? 7 : 0); }

/* The value before update `number` of the sequence. */
static uint64_t starting(uint64_t number) {
    uint64_t value = 1;
    for (uint64_t n = 0; n < number; n++) value = next(value);
    return value;
}

int main(void) {
    const int images = xmp_num_images(), me = xmpc_this_image();
    const uint64_t each = WORDS / images, updates = UPDATES / images;
    for (uint64_t i = 0; i < each; i++) table[i] = me * each + i;
    uint64_t value = starting(me * updates);
    xmp_sync_all(NULL);
    const double start = seconds_now();
    for (uint64_t n = 0; n < updates; n++) {
        value = next(value);
        const uint64_t index = value & (WORDS - 1);
        xmp_atomic_xor(table[index % each]:[index / each], value);
    }
    xmp_sync_all(NULL);
    const double seconds = seconds_now() - start;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < each; i++) sum ^= table[i] * (me * each + i + 1);
#pragma xmp reduction(^ : sum)
    if (me == 0) report(seconds, (double)(sum >> 12));
    return 0;
}
