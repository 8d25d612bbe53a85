/* Global arrays on three of four nodes as coarrays, and one that comes and goes in a task: between machines the transport reaches
 * memory of some images only. */
#include "expect.h"

#define N 12

int u[N], v[N];
#pragma xmp nodes p[4]
#pragma xmp nodes q[3] = p[1:3]
#pragma xmp nodes r[2] = p[2:2]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto q
#pragma xmp align u[i] with t[i]

/* Everything goes round among the images. */
static void around(int *block:[*], int count, int me, int images) {
    const int right = (me + 1) % images, left = (me + images - 1) % images;
    for (int i = 0; i < count; i++) block[i] = 100 * me + i;
    xmp_sync_all(NULL);
    int seen[2];
    seen[0:2] = block[0:2]:[right];
    EXPECT(seen[1], 100 * right + 1);
    xmp_sync_all(NULL);
    block[0]:[right] = me;
    block[1:2]:[right] += seen[0];
    xmp_sync_all(NULL);
    EXPECT(block[0], left);
    EXPECT(block[2], 200 * me + 2);
    if (count > 3) EXPECT(block[3], 100 * me + 3);
}

static void in_a_task(void) {
#pragma xmp template s[8]
#pragma xmp distribute s[block] onto r
    int w[8];
#pragma xmp align w[i] with s[i]
    around(w, 4, xmpc_this_image(), 2);
}

int main(void) {
    const int me = xmpc_this_image();
    EXPECT(xmp_num_images(), 4);
#pragma xmp task on q
    around(u, N / 3, me - 1, 3);
    for (int again = 0; again < 3; again++) {
#pragma xmp task on r
        in_a_task();
    }
    return finish();
}
