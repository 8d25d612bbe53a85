#include <xmp.h>
int hist[64]:[*];

int main(void) {
    if (xmpc_this_image() == 0) hist[3]:[2] = 1;
    xmp_sync_all(NULL);
    return 0;
}
