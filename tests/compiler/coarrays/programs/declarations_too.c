#include "shared_coarrays.h"
#include "expect.h"

static int hidden:[*] = 12, tentative[2]:[*];

void elsewhere(void) {
    const int me = xmpc_this_image(), right = (me + 1) % xmp_num_images();
    extern double unsized[]:[*];
    EXPECT(particles[3]:[right].id + table[1]:[right], right + 2);
    EXPECT(scalar:[right] + unsized[1]:[right], 9);
    EXPECT(letters[0]:[right], 'c');
    EXPECT(hidden:[right] + tentative[1]:[right], 12);
    table[2]:[right] = me;
    xmp_sync_all(NULL);
    EXPECT(table[2], (me + xmp_num_images() - 1) % xmp_num_images());
    if (wrong) printf("in declarations_too.c\n");
}
