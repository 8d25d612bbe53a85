/* Global arrays as coarrays: a function's parameter is one through the local section; updates in distributed loops. */
#include "expect.h"

#define N 16

double u[N][3], v[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i] with t[i]
#pragma xmp shadow v[1]

static double edge[2]:[*], total:[*];

static void rows(double (*block)[3]:[*], int image, double expected) { EXPECT(block[0][2]:[image], expected); }

/* A halo exchange by hand: the first and last element of each block go to the neighbours. */
static void exchange(double *block:[*], int count, int me, int images) {
    if (me > 0) edge[1]:[me - 1] = block[1];
    if (me < images - 1) block[0]:[me + 1] = block[count];
    xmp_sync_all(NULL);
}

/* Coarrays in reduction clauses: the loop works on a part of each image's own, the sum goes to the coarray. */
static void reductions(int me, int images) {
    static int most:[*] = -1, at:[*];
    total = 3;
    edge[0] = edge[1] = 0.5;
#pragma xmp loop on t[i] reduction(+ : total, edge) reduction(firstmax : most / at /)
    for (int i = 0; i < N; i++) {
        total += i;
        edge[i % 2] += 1;
        if (i % 5 > most) {
            most = i % 5;
            at = i;
        }
    }
    EXPECT(total, 3 + N * (N - 1) / 2);
    EXPECT(edge[1], 0.5 + N / 2);
    EXPECT(at, 4);
    xmp_sync_all(NULL);
    EXPECT(total:[(me + 1) % images], 3 + N * (N - 1) / 2);
    EXPECT(edge[0]:[(me + 1) % images], 0.5 + N / 2);
    EXPECT(most:[(me + 1) % images], 4);
    EXPECT(at:[(me + 1) % images], 4);
    xmp_sync_all(NULL);
}

int main(void) {
    const int me = xmpc_this_image(), images = xmp_num_images(), size = (N + images - 1) / images;
    const int count = size * (me + 1) <= N ? size : N - size * me > 0 ? N - size * me : 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 3; j++) u[i][j] = 10 * i;
        v[i] = i;
        total:[0] += v[i];
    }
    xmp_sync_all(NULL);
    EXPECT(total:[0], N * (N - 1) / 2);
    if (count > 0 && size * 2 <= N) rows(&u[size * me], (me + 1) % 2, 10 * size * ((me + 1) % 2));
    if (N % images == 0) {
        exchange(v, count, me, images);
        if (me > 0) EXPECT(*(double *)v, size * me - 1);
        if (me < images - 1) EXPECT(edge[1], size * (me + 1));
    }
    edge[0] = me;
    edge[1] = 2 * me;
#pragma xmp bcast (edge[0], total) from p[0]
#pragma xmp reduction (+:edge)
    EXPECT(edge[0], 0);
    EXPECT(edge[1], images * (images - 1));
    EXPECT(total, N * (N - 1) / 2);
    reductions(me, images);
    return finish();
}
