#include <xmp.h>
static int a:[*];

int main(void) {
    a = 0;
    xmp_sync_image(5, NULL);
    return 0;
}
