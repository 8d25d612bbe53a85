/* options: --check */
#include <xmp.h>
int hist[64]:[*], grid[4][5]:[*];

int main(void) {
    int bin = 125;
    if (xmpc_this_image() == 0) hist[bin]:[1] += 1;
    xmp_sync_all(NULL);
    return 0;
}
