/* References to elements of other images: gets anywhere in an expression, puts, updates, structures, several codimensions. */
#include "expect.h"

#define N 10
#define MAX(x, y) ({ __typeof__(x) x_ = (x); __typeof__(y) y_ = (y); x_ > y_ ? x_ : y_; })
#define RIGHT ((me + 1) % images)
#define LEFT ((me + images - 1) % images)

struct point {
    double x;
    int n[4];
    char name[8];
};

int a[N]:[*], m[3][4]:[*];
double s:[*];
float f:[*];
unsigned char byte:[*];
_Bool flag:[*];
short small[2]:[*];
struct point point:[*], points[5]:[2][*];
long count:[*], grid[2]:[1][2][*];
int (*pointer):[*];
double _Complex z:[*];

static int calls;
static int next(int value) {
    calls++;
    return value;
}
static int sum(int x, double y, struct point p) { return x + (int)y + p.n[1]; }
static int value_of(int i, int j) { return 100 * i + j; } /* what element j of an array on image i starts with */

int main(void) {
    const int me = xmpc_this_image(), images = xmp_num_images();
    int v;
    for (int j = 0; j < N; j++) a[j] = value_of(me, j);
    for (int j = 0; j < 12; j++) m[j / 4][j % 4] = value_of(me, j);
    s = me + 0.5, f = 2 * me, byte = 250 + me, count = 0, z = me + 2.0i * me, flag = 0, pointer = &v;
    small[0] = small[1] = me;
    point = (struct point){me, {me, me + 1, me + 2, me + 3}, "point"};
    for (int j = 0; j < 5; j++) points[j] = (struct point){value_of(me, j), {j}, "p"};
    grid[0] = grid[1] = me;
    xmp_sync_all(NULL);

    /* gets */
    v = a[3]:[RIGHT];
    EXPECT(v, value_of(RIGHT, 3));
    EXPECT(a[2]:[RIGHT] + a[3]:[LEFT] * m[1][2]:[RIGHT], value_of(RIGHT, 2) + value_of(LEFT, 3) * value_of(RIGHT, 6));
    EXPECT(a[a[1]:[0] + 1]:[a[0]:[RIGHT] / 100], value_of(RIGHT, 2));
    EXPECT(sum(a[1]:[LEFT], s:[LEFT], point:[RIGHT]), value_of(LEFT, 1) + LEFT + RIGHT + 1);
    EXPECT(point:[RIGHT].x + point.n[2]:[LEFT], RIGHT + LEFT + 2);
    EXPECT(point:[RIGHT].n[a[1]:[0]], RIGHT + 1);
    EXPECT((point:[RIGHT]).name[1], 'o');
    EXPECT(me >= 0 ? a[1]:[LEFT] : a[2]:[LEFT], value_of(LEFT, 1));
    EXPECT((a[0]:[RIGHT], a[1]:[RIGHT]), value_of(RIGHT, 1));
    EXPECT(!a[0]:[0] && -a[1]:[0] == -1 && ~a[1]:[0] == -2, 1);
    EXPECT(sizeof(a[0]:[RIGHT]) + sizeof a, sizeof(int) * (N + 1));
    EXPECT(__real__ z:[RIGHT] + __imag__ z:[LEFT], RIGHT + 2 * LEFT);
    EXPECT(byte:[0] + small[1]:[RIGHT], 250 + RIGHT);
    EXPECT(MAX(a[3]:[RIGHT], a[3]), value_of(MAX(RIGHT, me), 3));
    EXPECT(MAX(s, point.x), me + 0.5);
    if (a[4]:[RIGHT] != value_of(RIGHT, 4)) EXPECT(0, 1);
    for (int j = a[1]:[0]; j < a[3]:[0]; j += a[1]:[0]) EXPECT(a[j]:[LEFT], value_of(LEFT, j));
    int list[] = {a[5]:[LEFT], [2] = a[6]:[LEFT]};
    EXPECT(list[0] + list[2], value_of(LEFT, 5) + value_of(LEFT, 6));
    switch (a[1]:[0]) {
    case 1: v = 7; break;
    default: v = 8;
    }
    EXPECT(v, 7);
    struct point copy = point:[LEFT], *const here = &point;
    EXPECT(copy.n[3] + here->n[0], LEFT + 3 + me);

    /* each expression is evaluated once */
    v = a[next(2)]:[next(RIGHT)];
    EXPECT(calls, 2);
    xmp_sync_all(NULL);

    /* puts, with the conversions of C */
    a[0]:[RIGHT] = me;
    a[1]:[RIGHT] = 2.75 + me;
    f:[RIGHT] = s = 0.1;
    byte:[RIGHT] = 300 + me;
    flag:[RIGHT] = 12;
    small[1]:[RIGHT] = v = (a[2]:[RIGHT] = 70000) + 1;
    EXPECT(v, 70001);
    point:[RIGHT].n[2] = -me;
    point:[RIGHT].x = a[9]:[LEFT];
    points[next(3)]:[RIGHT % 2][RIGHT / 2] = (struct point){7, {8, 9}, "put"};
    z:[RIGHT] = 3;
    EXPECT(calls, 3);
    xmp_sync_all(NULL);
    EXPECT(a[0], LEFT);
    EXPECT(a[1], 2 + LEFT);
    EXPECT(f, 0.1f);
    EXPECT(byte, (300 + LEFT) & 255);
    EXPECT(flag, 1);
    EXPECT(small[1], (short)70001);
    EXPECT(a[2], 70000);
    EXPECT(point.n[2], -LEFT);
    EXPECT(point.x, value_of((LEFT + images - 1) % images, 9));
    EXPECT(points[3].x + points[3].n[1] + (strcmp(points[3].name, "put") == 0), 17);
    EXPECT(__real__ z + __imag__ z, 3);
    xmp_sync_all(NULL);

    /* codimensions: the first one varies fastest */
    for (int j = 0; j < 5; j++)
        if (j != 3) EXPECT(points[j]:[RIGHT % 2][RIGHT / 2].x, value_of(RIGHT, j));
    EXPECT(grid[1]:[0][RIGHT % 2][RIGHT / 2], RIGHT);
    xmp_sync_all(NULL);

    /* updates at the image: every image on image 0 */
    a[3] = 1, a[4] = 0xffff, a[5] = 0, a[6] = 0, s = 100, f = 0, count = 0;
    xmp_sync_all(NULL);
    a[3]:[0] *= 2;
    a[4]:[0] &= ~(1 << me);
    a[5]:[0] |= 1 << me;
    a[6]:[0] ^= 3;
    s:[0] += me;
    s:[0] -= 0.5;
    f:[0] += 1;
    count:[0]++;
    ++count:[0];
    a[7]:[RIGHT] %= 7;
    a[8]:[RIGHT] <<= 2;
    a[9]:[RIGHT] >>= 1;
    a[2]:[RIGHT] /= 7;
    a[1]:[RIGHT] += 1.75;
    v = (a[0]:[RIGHT] += 10);
    EXPECT(v, me + 10);
    EXPECT(a[0]:[RIGHT] -= me - 5, 15);
    xmp_sync_all(NULL);
    if (me == 0) {
        EXPECT(a[3], pow(2, images));
        EXPECT(a[4], 0xffff & ~((1 << images) - 1));
        EXPECT(a[5], (1 << images) - 1);
        EXPECT(a[6], images % 2 ? 3 : 0);
        EXPECT(s, 100 + images * (images - 1) / 2.0 - 0.5 * images);
        EXPECT(f, images);
        EXPECT(count, 2 * images);
    }
    EXPECT(a[7], value_of(me, 7) % 7);
    EXPECT(a[8], value_of(me, 8) * 4);
    EXPECT(a[9], value_of(me, 9) / 2);
    EXPECT(a[2], 10000);
    EXPECT(a[1], (int)(2 + LEFT + 1.75));
    xmp_sync_all(NULL);

    /* the same element by its name, by this image's index and by a pointer */
    int *const here_too = &a[4];
    a[4] = 1;
    a[4]:[me] = 2;
    EXPECT(a[4], 2);
    *here_too = 3;
    EXPECT(a[4], 3);
    EXPECT(a[4]:[me], 3);
    a[4] = 4;
    EXPECT(a[4]:[me] + *here_too, 8);
    a[4]:[me] += 1;
    EXPECT(a[4] * *here_too, 25);
    xmp_sync_all(NULL);

    /* the values of ++ and --: every image draws another number */
    static int drawn[64]:[*];
    count = 0;
    xmp_sync_all(NULL);
    const long mine = count:[0]++;
    EXPECT(mine >= 0 && mine < images, 1);
    drawn[mine]:[0] += 1;
    xmp_sync_all(NULL);
    for (int j = 0; me == 0 && j < images; j++) EXPECT(drawn[j], 1);
    xmp_sync_all(NULL);
    if (me == 0) {
        EXPECT(--count:[images - 1], images == 1 ? 0 : -1);
        small[0]:[0] = 5;
        EXPECT(small[0]:[0]--, 5);
        EXPECT(small[0], 4);
    }
    return finish();
}
