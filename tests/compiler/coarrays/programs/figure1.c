/* Figure 1 of the paper on coarrays in XMP/C: a get of a section of rank 2 with two codimensions, in the old form. */
#include "expect.h"

int a[1024][1024], b[1024][1024];
#pragma xmp coarray a:[3][3]

int main(void) {
    const int me = xmpc_this_image(), p = 3, q = 5, r = 7, s = 4, step = 200, t = 11, u = 2;
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j < 1024; j++) a[i][j] = 2000 * me + i - j, b[i][j] = -1;
    xmp_sync_all(NULL);
    if (me == 3){ b[p:q][r:s:step] = a[t:q][u:s:step]:[1][2]; }
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j < 1024; j++) {
            const int row = i - p, column = (j - r) / step;
            const int got = me == 3 && row >= 0 && row < q && j >= r && (j - r) % step == 0 && column < s;
            EXPECT(b[i][j], got ? 2000 * 7 + t + row - (u + column * step) : -1);
        }
    return finish();
}
