/* Declarations of coarrays: scopes, initialisers, forms, parameters; with declarations_too.c. */
#include "expect.h"
#include "shared_coarrays.h"

#define N 6
#define CODIMENSIONS [1][2][*]

typedef double row[N];
enum colour { RED, GREEN = 4 };

int table[4]:[*] = {1, 2, /* a comment */
                    [3] = 4}, not_a_coarray = 5;
struct particle particles[10]:[*];
double scalar:[*] = N + 0.5, unsized[]:[*] = {1.5, 2.5, 3.5};
const char letters[]:[*] = "coarray";
static volatile long flag:[*];
static row rows[2]:CODIMENSIONS;
static int plain, *pointer:[*], (*to_array)[3]:[*], two[2]:[*], another;
struct pair {
    int x, y;
} pair:[*] = {3, 4}, pairs[2]:[*];
static struct {
    enum colour colour;
} nameless:[*] = {GREEN};
static unsigned long long seven[1][2][1][2][1][2][3]:[*];
_Bool yes:[*] = 1;
static int hidden:[*];
int tentative:[*];
int tentative:[*];

int old[N][N], oldest, older;
#pragma xmp coarray old, oldest : [*], older:[1][*]
static float square[2][2];
#pragma xmp coarray square:[3][3]

#pragma xmp nodes p[*]

int count(void) {
    static int calls:[*], more = 10;
    static int start[2]:[*] = {N, GREEN};
    calls++, more++;
    start[1] += more;
    {
        static double calls:[*] = 0.5;
        calls++;
        EXPECT(calls, calls:[xmpc_this_image()]);
    }
    return calls + start[0]:[0];
}

static void parameters(int n, double x[n]:[*], struct pair *y:[*], int (*z)[N]:[*], int image) {
    EXPECT(x[1]:[image], 2.5);
    EXPECT(y->x:[image] + (*y).y:[image], 7);
    EXPECT(z[1][2]:[image], 100 * image + N + 2);
    EXPECT(sizeof *x, sizeof(double));
    double twice[3];
    twice[0:n] = x[0:n]:[image] * 2;
    EXPECT(twice[2], 7);
    xmp_sync_all(NULL);
    x[2]:[image] = 9;
    xmp_sync_all(NULL);
    EXPECT(x[2], 9);
}

static double handed_on(double x[3]:[*]) { return x[0]; }

static void atomic(long *x:[*]) { xmp_atomic_add(*x, 1); }

typedef void handler(long *x:[*], int image);
static void put(long *x:[*], int image) { x[1]:[image] = 3; }
static void call(handler *h, void (*same)(long *:[*], int), long x[2]:[*], int image) {
    h(x, image);
    same(&x[0], image);
}

static void locked(xmp_lock_t *mutex:[*]) {
#pragma xmp lock(mutex[0]:[0])
#pragma xmp unlock(mutex[0]:[0])
}

static void pinned(double *x:[*]) {
#pragma xmp coarray on p :: x
    EXPECT(x[0]:[xmpc_all_node_num()], x[0]);
}

int main(int argc, char **argv) {
    const int me = xmpc_this_image(), images = xmp_num_images(), right = (me + 1) % images;
    int hidden = 3; /* another variable */
    EXPECT(hidden + not_a_coarray + argc + (argv == NULL), 9);
    EXPECT(table[0]:[right] + table[2]:[right] + table[3], 5);
    EXPECT(scalar:[right], 6.5);
    EXPECT(unsized[2]:[right] + sizeof unsized, 3.5 + 3 * sizeof(double));
    EXPECT(letters[2]:[right], 'a');
    EXPECT(sizeof letters, 8);
    EXPECT(pair.y + pair:[right].x + pairs[1].x, 7);
    EXPECT(nameless:[right].colour, GREEN);
    EXPECT(yes:[right], 1);
    EXPECT(sizeof rows + sizeof(rows[0]) + sizeof seven, 3 * sizeof(row) + 24 * sizeof(long));
    for (int k = 0; k < 24; k++) EXPECT((&seven[0][0][0][0][0][0][0])[k], 0);

    /* names are pointers to their first elements, as those of other arrays */
    double *const first = rows[1];
    int (*const whole)[4] = &table, *element = &table[1];
    first[2] = me;
    EXPECT(rows[1][2], me);
    EXPECT((*whole)[1] + *element + *(table + 1) + 1 [table], 8);
    rows[0][:] = me;
    two[0] = two[1] = me, flag = me, tentative = me, plain = another = 1, pointer = &plain, to_array = 0;
    for (int k = 0; k < N * N; k++) old[k / N][k % N] = 100 * me + k;
    older = oldest = me;
    square[0][0] = square[1][1] = me;
    seven[0][1][0][1][0][1][2] = me;
    particles[3] = (struct particle){{1, 2, me}, me};
    xmp_sync_all(NULL);
    EXPECT(rows[1][2]:[0][right % 2][right / 2] + rows[0][5]:[0][0][0], right);
    EXPECT(two[1]:[right] + flag:[right] + tentative:[right], 3 * right);
    EXPECT(old[1][2]:[right], 100 * right + N + 2);
    EXPECT(older:[0][right] + oldest:[right], 2 * right);
    EXPECT(square[1][1]:[right % 3][right / 3], right);
    EXPECT(seven[0][1][0][1][0][1][2]:[right], right);
    EXPECT(particles[3]:[right].position[2] + particles[3].id:[right], 2 * right);
    EXPECT(pointer == &plain && to_array == 0, 1);
    xmp_sync_all(NULL);
    elsewhere();
    EXPECT(count(), 1 + N);
    EXPECT(count(), 2 + N);
    parameters(3, unsized, &pair, old, right);
    pinned(&scalar);
    EXPECT(handed_on(unsized), unsized[0]);
    static long once:[*];
    static xmp_lock_t mutex:[*];
    atomic(&once);
    locked(&mutex);
    EXPECT(once, 1);
    static long called[2]:[*];
    call(put, put, called, right);
    xmp_sync_all(NULL);
    EXPECT(called[0] + called[1], 3);
    return finish();
}
