/* Directives and functions of the local view: sync_memory, post and wait, locks, atomic operations, images of node arrays. */
#include "expect.h"

#define N 4
#define TAG 7

#pragma xmp nodes p[*]
#pragma xmp nodes matrix[*][1]

static int data[N]:[*], token:[*];
static volatile int ready:[*];
static xmp_lock_t lock_object:[*], locks[3]:[*];
static long counter:[*], bits[3]:[*];
static unsigned small:[*];
static int everywhere:[*];
#pragma xmp coarray on p :: everywhere

static int me, images;
int coarray_pointers(void); /* pointers.c */

static void spin(void) {
    const int right = (me + 1) % images, left = (me + images - 1) % images;
    data[:]:[right] = me;
#pragma xmp sync_memory
    ready:[right] = 1;
#pragma xmp sync_memory
    while (!ready) {
#pragma xmp sync_memory
    }
    for (int j = 0; j < N; j++) EXPECT(data[j], left);
    xmp_sync_all(NULL);
}

static void post_and_wait(void) {
    const int right = (me + 1) % images, left = (me + images - 1) % images;
    data[0]:[right] = 10 * me;
#pragma xmp post(p[right], TAG)
#pragma xmp wait(p[left], TAG)
    EXPECT(data[0], 10 * left);
    xmp_sync_all(NULL);
    if (me == 0) {
        for (int k = 1; k < images; k++) {
            data[1]:[k] = k;
#pragma xmp post(matrix[k][0], k)
        }
        for (int k = 1; k < images; k++) {
#pragma xmp wait
        }
        EXPECT(token, images - 1);
    } else {
        if (me % 2) {
#pragma xmp wait(matrix(1, 1))
        } else {
#pragma xmp wait(p[0], me)
        }
        EXPECT(data[1], me);
        xmp_atomic_add(token:[0], 1);
#pragma xmp post(p(1), me)
    }
    xmp_sync_all(NULL);
}

static void lock_and_unlock(void) {
    int acquired = 5, status = 6;
    counter = 0;
    xmp_sync_all(NULL);
    for (int k = 0; k < 5; k++) {
#pragma xmp lock(lock_object:[0])
        counter:[0] = counter:[0] + 1;
#pragma xmp unlock(lock_object:[0])
    }
    xmp_sync_all(NULL);
    if (me == 0) EXPECT(counter, 5 * images);

#pragma xmp lock(locks[1]) stat(status)
    EXPECT(status, XMP_STAT_SUCCESS);
#pragma xmp lock(locks[1]:[me]) stat(status)
    EXPECT(status, XMP_STAT_LOCKED);
    xmp_sync_all(NULL);
#pragma xmp lock(locks[1]:[(me + 1) % images]) acquired_lock(acquired) stat(status)
    if (images > 1) EXPECT(acquired == 0 && status == XMP_STAT_SUCCESS, 1);
#pragma xmp unlock(locks[1]:[(me + 1) % images]) stat(status)
    if (images > 1) EXPECT(status, XMP_STAT_LOCKED_OTHER_IMAGE);
    xmp_sync_all(NULL);
    if (images > 1) {
#pragma xmp unlock(locks[1])
    }
#pragma xmp unlock(locks[2]) stat(status)
    EXPECT(status, XMP_STAT_UNLOCKED);
#pragma xmp lock(locks[2]) acquired_lock(acquired)
    EXPECT(acquired, 1);
#pragma xmp unlock(locks[2])
}

static void atomics(void) {
    const int last = images - 1;
    long old, value;
    unsigned was;
    counter = 100, bits[0] = bits[1] = bits[2] = 0xff, small = 0;
    xmp_sync_all(NULL);
    xmp_atomic_add(counter:[last], me + 1);
    xmp_atomic_or(bits[0]:[last], 0x100L << me);
    xmp_atomic_and(bits[1]:[last], ~(1 << me));
    xmp_atomic_xor(bits[2]:[last], 1 << me);
    xmp_atomic_fetch_add(small:[0], 1, &was);
    EXPECT(was < (unsigned)images, 1);
    xmp_sync_all(NULL);
    xmp_atomic_ref(&value, counter:[last]);
    EXPECT(value, 100 + images * (images + 1) / 2);
    xmp_atomic_ref(&was, small:[0]);
    EXPECT(was, images);
    if (me == last) {
        EXPECT(bits[0], 0xff | ((1L << images) - 1) << 8);
        EXPECT(bits[1], 0xff & ~((1 << images) - 1));
        EXPECT(bits[2], 0xff ^ ((1 << images) - 1));
        xmp_atomic_define(bits[1], -3); /* this image's own */
        xmp_atomic_fetch_or(bits[1]:[last], 4, &old);
        EXPECT(old, -3);
        xmp_atomic_fetch_and(bits[1]:[last], 0xff, &old);
        EXPECT(old, -3 | 4);
        xmp_atomic_fetch_xor(bits[1]:[last], 1, &old);
        EXPECT(old, (-3 | 4) & 0xff);
        EXPECT(bits[1], ((-3 | 4) & 0xff) ^ 1);
        xmp_atomic_cas(bits[2]:[last], &old, 1, 2);
        EXPECT(old, 0xff ^ ((1 << images) - 1));
        EXPECT(bits[2], old == 1 ? 2 : old);
        xmp_atomic_cas(bits[2]:[last], &value, bits[2]:[last], 77);
        EXPECT(bits[2], 77);
    }
    xmp_sync_all(NULL);
}

static void images_of_tasks(void) {
    const int all = me;
    everywhere = data[0] = all;
    xmp_sync_all(NULL);
    if (images < 2) return;
#pragma xmp task on p[1:]
    {
        EXPECT(data[0]:[0], 1); /* the current set: image 0 is p[1] */
        EXPECT(everywhere:[0] + everywhere:[1], 1);
        EXPECT(xmpc_this_image(), all - 1);
        xmp_sync_all(NULL);
        everywhere:[all] = 50 + all;
#pragma xmp image(p)
        xmp_sync_image(all, NULL);
        EXPECT(everywhere, 50 + all);
    }
    xmp_sync_all(NULL);
}

static void image_control(void) {
    int status = -1, list[2] = {(me + 1) % images, (me + images - 1) % images};
    data[2]:[list[0]] = me;
    xmp_sync_images(images > 2 ? 2 : 1, list, &status);
    EXPECT(status, XMP_STAT_SUCCESS);
    EXPECT(data[2], list[1]);
    data[3]:[list[0]] = me;
    xmp_sync_images_all(&status);
    EXPECT(data[3], list[1]);
    xmp_sync_memory(&status);
    EXPECT(status, XMP_STAT_SUCCESS);
}

int main(void) {
    me = xmpc_this_image(), images = xmp_num_images();
    spin();
    post_and_wait();
    lock_and_unlock();
    atomics();
    images_of_tasks();
    image_control();
    return coarray_pointers() || finish();
}
