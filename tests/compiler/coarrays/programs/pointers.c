/* Coarray pointers and containers: memory of xmp_comalloc, reached through variables, parameters and members. */
#include "expect.h"

typedef struct {
    int size;
    double (*a)[10]:[][];
} container;
typedef struct {
    container x, y;
} outer;
struct record {
    int n;
    double v[3];
};

#pragma xmp nodes q[*]
static double (*y)[10]:[];
static outer held;
static int me, images, next;

static double of_coarray(double part[3][10]:[*], int image) { return part[2][9]:[image]; }
static double of_pointer(double (*part)[10]:[], int image) { return part[1][0]:[image]; }
static double of_container(const container *c, int i, int j) { return c->a[0][1]:[i][j]; }

static void rows(void) {
    y = xmp_comalloc(3 * sizeof *y);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 10; j++) {
            EXPECT(y[i][j], 0);
            y[i][j] = 100 * me + 10 * i + j;
        }
    xmp_sync_all(NULL);
    EXPECT(y[2][3]:[next], 100 * next + 23);
    EXPECT((*y)[3]:[next] + (*(y + 1))[3], 100 * (next + me) + 16);
    EXPECT(of_coarray(y, next), 100 * next + 29);
    EXPECT(of_pointer(y, next), 100 * next + 10);
    double row[10];
    row[:] = y[1][:]:[next];
    for (int j = 0; j < 10; j++) EXPECT(row[j], 100 * next + 10 + j);
    xmp_sync_all(NULL);
    y[0][0:10]:[next] = row[0:10];
    y[1][1]:[next] += 5;
    y[2][0:4:3]:[next] *= 2;
    y[1][2]:[0] += 1;
    xmp_sync_all(NULL);
    for (int j = 0; j < 10; j++) {
        EXPECT(y[0][j], 100 * me + 10 + j);
        EXPECT(y[2][j], (100 * me + 20 + j) * (j % 3 ? 1 : 2));
    }
    EXPECT(y[1][1], 100 * me + 16);
    EXPECT(y[1][2], 100 * me + 12 + (me == 0 ? images : 0));
    xmp_cofree(y);
}

/* Two codimensions: the first one varies fastest. */
static void containers(void) {
    const int two = images >= 2 ? 2 : 1, last = images - 1;
    held.x.a = xmp_comalloc(2 * sizeof *held.x.a, two);
    held.y.a = (double (*)[10])xmp_comalloc(sizeof *held.y.a, two);
    held.x.a[0][1] = me, held.y.a[0][1] = -me;
    xmp_sync_all(NULL);
    EXPECT(held.x.a[0][1]:[two - 1][0], two - 1);
    EXPECT(held.y.a[0][1]:[last % two][last / two], -last);
    EXPECT(of_container(&held.x, 0, last / two), last / two * two);
    xmp_sync_all(NULL);
    if (me == 0) held.x.a[1][0:4]:[last % two][last / two] = held.y.a[0][1];
    xmp_sync_all(NULL);
    if (me == last && images == 1) EXPECT(held.x.a[1][3], 0);
    EXPECT(held.x.a[1][4], 0);
    xmp_cofree(held.y.a);
    xmp_cofree(held.x.a);
}

static void single_values(void) {
    struct record *s:[] = xmp_comalloc(sizeof(struct record));
    long *counter:[], old;
    counter = xmp_comalloc(sizeof *counter);
    s->n = me, s->v[2] = 3 * me;
    xmp_sync_all(NULL);
    EXPECT(s->n:[next], next);
    EXPECT(s[0].v[2]:[next] + s[0]:[next].v[2], 6 * next);
    xmp_atomic_fetch_add(counter[0]:[0], 1, &old);
    xmp_atomic_add(*counter, 10);
    (*counter):[next]++;
    xmp_sync_all(NULL);
    EXPECT(*counter, 11 + (me == 0 ? images : 0));
    xmp_cofree(counter);
    xmp_cofree(s);
    xmp_cofree(NULL);
}

static void of_a_task(void) {
    if (images < 3) return;
#pragma xmp task on q[1:2]
    {
        int *t:[] = xmp_comalloc(2 * sizeof *t);
        t[1] = 7 + xmpc_this_image();
        xmp_sync_all(NULL);
        EXPECT(t[1]:[1 - xmpc_this_image()], 8 - xmpc_this_image());
        xmp_cofree(t);
    }
}

int coarray_pointers(void) {
    me = xmpc_this_image(), images = xmp_num_images(), next = (me + 1) % images;
    rows();
    containers();
    single_values();
    of_a_task();
    return finish();
}
