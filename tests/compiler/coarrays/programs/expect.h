/* Checks of the test programs: a wrong value prints its line; `finish` is the exit code of every image. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xmp.h>

static int wrong, checked;

#define EXPECT(actual, expected)                                                                             \
    do {                                                                                                     \
        const double actual_ = (actual), expected_ = (expected);                                             \
        checked++;                                                                                           \
        if (!(actual_ == expected_) && wrong++ < 10)                                                         \
            printf("%s:%d: image %d: %s is %.17g, not %.17g\n", __FILE__, __LINE__, xmpc_this_image(), #actual, actual_, expected_); \
    } while (0)

static inline int finish(void) {
    xmp_sync_all(NULL);
    if (checked == 0) printf("nothing was checked\n");
    return wrong != 0 || checked == 0;
}
