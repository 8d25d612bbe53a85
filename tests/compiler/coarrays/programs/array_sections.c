/* Array sections, on this image and others, against loops over elements. */
#include "expect.h"

#define N 10
#define ROWS 4
#define COLUMNS 6

int a[N]:[*], m[ROWS][COLUMNS]:[*];
double d[N]:[*];
struct point {
    double x;
    int n[4];
} points[5]:[*];
long deep[2][2][2][2][2][2][2]:[*];

static int b[N], local[ROWS][COLUMNS];
static double e[N];
static int calls;
static int images, me;

static double twice(double x) {
    calls++;
    return 2 * x;
}
static int a_of(int image, int j) { return 10 * image + j; }
static int m_of(int image, int i, int j) { return 100 * image + 10 * i + j; }

static void start(void) {
    xmp_sync_all(NULL);
    a[:] = 0;
    for (int j = 0; j < N; j++) a[j] = a_of(me, j), d[j] = a_of(me, j) / 4.0, b[j] = 50 + j, e[j] = j;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) m[i][j] = m_of(me, i, j), local[i][j] = -m_of(me, i, j);
    xmp_sync_all(NULL);
}

static void on_this_image(void) {
    const int n = 4, s = 2;
    start();
    b[:] = 7;
    for (int j = 0; j < N; j++) EXPECT(b[j], 7);
    b[2:n:s] = a[0:n];
    for (int j = 0; j < N; j++) EXPECT(b[j], j >= 2 && j < 10 && j % 2 == 0 ? a_of(me, (j - 2) / 2) : 7);
    b[N - 1:N:-1] = a[:];
    for (int j = 0; j < N; j++) EXPECT(b[j], a_of(me, N - 1 - j));
    b[0:5] = b[N - 1:5:-1];
    for (int j = 0; j < 5; j++) EXPECT(b[j], a_of(me, j));
    b[1:N - 1] = b[0:N - 1] + 1; /* the right side is read before anything is written */
    for (int j = 1; j < 6; j++) EXPECT(b[j], a_of(me, j - 1) + 1);
    b[:] = a[:];
    b[0] = 3;
    b[1:N - 1] += b[0];
    for (int j = 1; j < N; j++) EXPECT(b[j], a_of(me, j) + 3);
    b[:] = a[:];
    b[:] = b[3] - b[:];
    for (int j = 0; j < N; j++) EXPECT(b[j], 3 - j);
    b[3:] = a[3:];
    b[:3] = a[7:];
    for (int j = 0; j < N; j++) EXPECT(b[j], a_of(me, j < 3 ? 7 + j : j));
    b[6::-2] = -1;
    for (int j = 0; j < N; j++) EXPECT(b[j], j <= 6 && j % 2 == 0 ? -1 : a_of(me, j < 3 ? 7 + j : j));
    e[:] = twice(e[:]) + sqrt(16.0) * (e[:] > 4 ? 1 : -e[:]);
    for (int j = 0; j < N; j++) EXPECT(e[j], 2 * j + 4 * (j > 4 ? 1 : -j));
    EXPECT(calls, N);
    calls = 0;
    e[:] = twice(1.0); /* a scalar is evaluated once */
    EXPECT(calls, 1);
    EXPECT(e[9], 2);
    local[1:2][0::2] = m[0:2][1:3] * local[3][5];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            EXPECT(local[i][j],
                   i >= 1 && i < 3 && j % 2 == 0 ? m_of(me, i - 1, 1 + j / 2) * -m_of(me, 3, 5) : -m_of(me, i, j));
    local[:][2] = b[0:ROWS];
    local[2][:] = local[1][:];
    for (int j = 0; j < COLUMNS; j++) EXPECT(local[2][j], local[1][j]);
    if (n == 4) b[:] = 1; else b[:] = 2;
    for (int j = 0; j < 2; j++) b[j:2] = j;
    EXPECT(b[0] + 10 * b[1] + 100 * b[2] + 1000 * b[9], 0 + 10 + 100 + 1000);
}

/* Pointers may lead to the same memory; parameters have the sizes that they are declared with. */
static void by_pointers(int n, double x[n], double *p, double *q, double square[n][n]) {
    p[1:n - 1] = q[0:n - 1];
    for (int j = 1; j < n; j++) EXPECT(x[j], j - 1);
    p[1:n - 1] = 2 * q[0:n - 1];
    for (int j = 2; j < n; j++) EXPECT(x[j], 2 * (j - 2));
    x[:] = 3;
    for (int i = 0; i < n; i++) square[i][:] = i;
    square[:][1] = square[n - 1:n:-1][0];
    for (int i = 0; i < n; i++) EXPECT(square[i][1], n - 1 - i);
}

static void gets(void) {
    const int right = (me + 1) % images, left = (me + images - 1) % images;
    int n = 5;
    start();
    b[:] = a[:]:[right];
    for (int j = 0; j < N; j++) EXPECT(b[j], a_of(right, j));
    b[0:n:2] = a[9:n:-1]:[left];
    for (int j = 0; j < n; j++) EXPECT(b[2 * j], a_of(left, 9 - j));
    e[:] = a[:]:[right]; /* another type */
    for (int j = 0; j < N; j++) EXPECT(e[j], a_of(right, j));
    e[0:n] += d[1:n]:[right] * a[0:n]:[left] - d[2:n];
    for (int j = 0; j < n; j++) EXPECT(e[j], a_of(right, j) + a_of(right, j + 1) / 4.0 * a_of(left, j) - a_of(me, j + 2) / 4.0);
    local[1:3][::1] = m[0:3][:]:[right];
    for (int i = 1; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) EXPECT(local[i][j], m_of(right, i - 1, j));
    local[0:2:3][5:3:-2] = m[1:2][0:3]:[left];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) EXPECT(local[3 * i][5 - 2 * j], m_of(left, 1 + i, j));
    b[0:ROWS] = m[:][3]:[right] + m[2][0:ROWS]:[left];
    for (int i = 0; i < ROWS; i++) EXPECT(b[i], m_of(right, i, 3) + m_of(left, 2, i));
    b[:] = a[4]:[right] + a[5];
    EXPECT(b[9], a_of(right, 4) + a_of(me, 5));
    xmp_sync_all(NULL);
    a[1:9] = a[0:9]:[me];
    for (int j = 1; j < N; j++) EXPECT(a[j], a_of(me, j - 1));
}

static void puts_(void) {
    const int right = (me + 1) % images, left = (me + images - 1) % images;
    int n = 3;
    start();
    a[0:n]:[right] = b[1:n];
    a[3:2]:[right] = -1;
    a[5:n - 1:2]:[right] = e[0:2] * 2.75;
    a[9:2:-3]:[right] = 8 + a[8]:[me];
    m[:][:]:[right] = local[:][:];
    d[:]:[right] = b[:];
    xmp_sync_all(NULL);
    for (int j = 0; j < 3; j++) EXPECT(a[j], 51 + j);
    EXPECT(a[3], -1);
    EXPECT(a[4], -1);
    EXPECT(a[5], 0);
    EXPECT(a[7], 2);
    EXPECT(a[8], a_of(me, 8));
    EXPECT(a[6], 8 + a_of(left, 8));
    EXPECT(a[9], 8 + a_of(left, 8));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) EXPECT(m[i][j], -m_of(left, i, j));
    for (int j = 0; j < N; j++) EXPECT(d[j], 50 + j);

    start();
    m[1:2][4:2:-3]:[right] = local[2:2:-2][0:2];
    m[0][1:4]:[right] = a[1:4]; /* from a coarray */
    m[3][0:2]:[right] = m[2][2:2]:[left]; /* from one other image to another */
    xmp_sync_all(NULL);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) EXPECT(m[1 + i][4 - 3 * j], -m_of(left, 2 - 2 * i, j));
    for (int j = 0; j < 4; j++) EXPECT(m[0][1 + j], a_of(left, 1 + j));
    for (int j = 0; j < 2; j++) EXPECT(m[3][j], m_of((left + images - 1) % images, 2, 2 + j));

    points[0:5].x:[right] = d[0:5];
    points[1:4].n[2]:[right] = a[0:4];
    points[0].n[1:3]:[right] = a[7:3];
    xmp_sync_all(NULL);
    for (int j = 0; j < 5; j++) EXPECT(points[j].x, a_of(left, j) / 4.0);
    for (int j = 0; j < 4; j++) EXPECT(points[1 + j].n[2], a_of(left, j));
    for (int j = 0; j < 3; j++) EXPECT(points[0].n[1 + j], a_of(left, 7 + j));
    e[0:5] = points[:].x:[right] + points[:]:[right].n[0];
    xmp_sync_all(NULL);
    for (int j = 0; j < 5; j++) EXPECT(e[j], a_of(me, j) / 4.0);
}

static void updates(void) {
    start();
    a[:] = 0;
    m[:][:] = 1;
    d[:] = 0;
    xmp_sync_all(NULL);
    a[:]:[0] += b[:];
    a[0:3:3]:[images - 1] += me;
    m[1:2][::2]:[0] *= 2;
    m[3][:]:[0] |= local[0][:] < 0 ? 8 : 4;
    d[:]:[0] += 0.25 * e[:];
    d[0:2]:[images - 1] -= e[3:2];
    xmp_sync_all(NULL);
    if (me == 0) {
        for (int j = 0; j < N; j++)
            EXPECT(a[j], images * (50 + j));
        for (int i = 1; i < 3; i++)
            for (int j = 0; j < COLUMNS; j++) EXPECT(m[i][j], j % 2 ? 1 : pow(2, images));
        for (int j = 0; j < COLUMNS; j++) EXPECT(m[3][j] & 8, j > 0 || images > 1 ? 8 : 0);
        for (int j = 2; j < N; j++) EXPECT(d[j], images * 0.25 * j);
    } else if (me == images - 1) {
        for (int j = 0; j < N; j++) EXPECT(a[j], j % 3 || j == 9 ? 0 : images * (images - 1) / 2);
        EXPECT(d[1], -4 * images);
    }
    xmp_sync_all(NULL);
    a[:] = 17;
    b[:] = 5;
    xmp_sync_all(NULL);
    a[0:5]:[(me + 1) % images] %= b[0:5];
    a[5:5]:[(me + 1) % images] /= 2.5;
    xmp_sync_all(NULL);
    EXPECT(a[4], 2);
    EXPECT(a[5], (int)(17 / 2.5));
}

static void seven_dimensions(void) {
    const int right = (me + 1) % images;
    long own[2][2][2][2][2][2][2];
    own[:][:][:][:][:][:][:] = me;
    own[1][:][:][:][:][:][0] += 10;
    deep[:][:][:][:][:][:][:]:[right] = own[:][:][:][:][:][:][:];
    xmp_sync_all(NULL);
    const int left = (me + images - 1) % images;
    for (int k = 0; k < 128; k++) EXPECT((&deep[0][0][0][0][0][0][0])[k], left + (k >= 64 && k % 2 == 0 ? 10 : 0));
    own[1][:][0][:][1:1][0:2:1][:] = deep[0][1:2:-1][1][:][0:1][:][:]:[right];
    for (int k = 0; k < 128; k++) {
        const int taken = k >= 64 && !(k & 16) && (k & 4);
        EXPECT((&own[0][0][0][0][0][0][0])[k], me + (!taken && k >= 64 && k % 2 == 0 ? 10 : 0));
    }
}

int main(void) {
    me = xmpc_this_image(), images = xmp_num_images();
    on_this_image();
    double x[6] = {0, 1, 2, 3, 4, 5}, square[6][6];

    by_pointers(6, x, x, x, square);
    gets();
    puts_();
    updates();
    seven_dimensions();
    return finish();
}
