/* What `kumihimo doctor --hosts` compiles and runs on all hosts: every image writes into every other one and reads from it,
 * by coarrays (`coarrays`) or by the MPI library's own windows (`windows`). Image 0 says whether all of it was right. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <xmp.h>

#define LENGTH 32768 /* 256 KiB: beyond what MPI sends without asking first */

#pragma xmp nodes p[*]
static long box[LENGTH]:[*];
static long mine[LENGTH];
static long counter:[*];

static long value(int from, int to, int i) {
    return 1000000L * from + 1000L * to + i % 997;
}

static int wrong(const long* found, int from, int to) {
    for (int i = 0; i < LENGTH; i++)
        if (found[i] != value(from, to, i)) return 1;
    return 0;
}

static void fill(int from, int to) {
    for (int i = 0; i < LENGTH; i++) mine[i] = value(from, to, i);
}

/* In turn, so that all pairs are tried and memory does not grow with their number. */
static int by_coarrays(int me, int images) {
    int failures = 0;
    for (int step = 0; step < images; step++) {
        const int to = (me + step) % images, from = (me - step + images) % images;
        fill(me, to);
        box[:]:[to] = mine[:];
        xmp_sync_all(NULL);
        failures += wrong(box, from, me);
        mine[:] = box[:]:[to];
        failures += wrong(mine, me, to);
        counter:[to] += 1;
        xmp_sync_all(NULL);
    }
    return failures + (counter != images);
}

static int by_windows(int me, int images) {
    int failures = 0;
    long* memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof mine, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int step = 0; step < images; step++) {
        const int to = (me + step) % images, from = (me - step + images) % images;
        fill(me, to);
        MPI_Win_fence(0, window);
        MPI_Put(mine, LENGTH, MPI_LONG, to, 0, LENGTH, MPI_LONG, window);
        MPI_Win_fence(0, window);
        failures += wrong(memory, from, me);
        MPI_Get(mine, LENGTH, MPI_LONG, to, 0, LENGTH, MPI_LONG, window);
        MPI_Win_fence(0, window);
        failures += wrong(mine, me, to);
    }
    MPI_Win_free(&window);
    return failures;
}

int main(int argc, char** argv) {
    const int me = xmpc_this_image(), images = xmp_num_images();
    int failures = argc > 1 && strcmp(argv[1], "windows") == 0 ? by_windows(me, images) : by_coarrays(me, images);
#pragma xmp reduction(+ : failures)
#pragma xmp task on p[0]
    printf("%d %s\n", images, failures == 0 ? "right" : "wrong");
    return 0;
}
