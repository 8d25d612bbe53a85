/* Coarrays that two images use between the same two synchronisations; the argument chooses a use, a comment marks its places. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
struct pair {
    int member;
    double row[3];
};
int a[8]:[*], counter:[*];
struct pair q[4]:[*];
static const char *chosen = "";
static int is(const char *name) { return strcmp(chosen, name) == 0; }

static void race(int me, int next) {
    int sum = 0, status;
    if (is("put and owner")) {
        a[3]:[next] = 5; // put and owner
        a[3] = 7;        // put and owner
    } else if (is("section")) {
        a[0:4]:[next] = a[4:4];                     // section
        for (int i = 0; i < 8; i += 2) sum += a[i]; // section
    } else if (is("two puts")) {
        a[2]:[0] = me; // two puts
    } else if (is("update and get")) {
        counter:[0] += 1;                  // update and get
        if (me == 1) sum = counter:[0];    // update and get
    } else if (is("pair")) {
        if (me == 0) a[5]:[1] = 2; // pair
        if (me == 1) a[5] = 3;     // pair
        xmp_sync_images_all(&status);
    }
    if (sum < 0) printf("%d\n", sum);
}

/* Right: other elements, other members, updates only, images that wait for each other in their own ways. */
static void right(int me, int next) {
    int status;
    q[1].row[1]:[next] = 2;
    q[1].row[2] = 4;
    q[1].member++;
    a[me]:[0] = 1;
    if (me != 0 && a[7]:[0] < 0) printf("never\n");
    counter:[0] += me;
    xmp_sync_all(&status);
    if (me == 0) a[5]:[1] = 2;
    xmp_sync_images_all(&status);
    if (me == 1) a[5] = 3;
    xmp_sync_all(&status);
    if (me == 0) {
        a[1]:[1] = 8;
        xmp_sync_memory(&status);
        a[0]:[1] = 100;
    } else if (me == 1) {
        while (*(volatile int *)&a[0] != 100) xmp_sync_memory(&status);
        if (a[1] != 8) printf("never\n");
    }
#pragma xmp barrier
    a[3]:[next] = a[2];
    xmp_sync_all(&status);
    if (a[3] < 0) printf("never\n");
}

int main(int argc, char **argv) {
    const int me = xmpc_all_node_num(), next = (me + 1) % xmp_all_num_nodes();
    int status;
    chosen = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 8; i++) a[i] = me;
    xmp_sync_all(&status);
    right(me, next);
    xmp_sync_all(&status);
    race(me, next);
    return 0; /* the end of the program synchronises, too */
}
