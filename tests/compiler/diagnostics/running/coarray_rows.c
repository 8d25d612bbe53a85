/* options: --check */
#include <xmp.h>
int grid[4][5]:[*];

int main(void) {
    int row = -1;
    if (xmpc_this_image() == 1) grid[row][2]:[0] = 1;
    xmp_sync_all(NULL);
    return 0;
}
