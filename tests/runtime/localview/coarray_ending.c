/* Images that end while others need them, and mistakes that must be told before anything crashes. coarray_endings.py runs this
 * on 3 images: coarray_ending MODE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kumihimo/localview.h"

static XMP_Coarray *a_xmp, *lock_xmp;
static XMP_Nodes* p_xmp;
static const char* mode;

static void declare(void) {
    a_xmp = XMP_Coarray_declare("a", 10 * sizeof(int), NULL);
    XMP_Coarray_shape(a_xmp, sizeof(int), 1, (const XMP_Index[]){10});
    lock_xmp = XMP_Coarray_declare("lock_object", sizeof(xmp_lock_t), NULL);
    const XMP_Index size = XMP_REMAINING;
    p_xmp = XMP_Nodes_declare(XMP_SITE("nodes p[*]"), "p", XMP_ROW_MAJOR, 1, &size, XMP_NODES_ENTIRE, NULL);
}
static XMP_Unit unit = {XMP_ABI_VERSION, __FILE__, declare, NULL, NULL};
__attribute__((constructor)) static void register_unit(void) {
    XMP_local_view = 1;
    XMP_Register(&unit);
}

static int is(const char* name) {
    return strcmp(mode, name) == 0;
}

static void expect(const char* what, int got, int wanted) {
    if (got != wanted) printf("WRONG %s on image %d: %d, not %d\n", what, xmpc_this_image(), got, wanted);
}

/* Image 1 has ended: barriers fail on all others, as often as they are tried, and smaller sets go on. */
static void without_image_1(void) {
    int status = -1;
    for (int i = 0; i < 5; i++) {
        xmp_sync_all(&status);
        expect("sync_all", status, XMP_STAT_STOPPED_IMAGE);
    }
    xmp_sync_image(1, &status);
    expect("sync_image", status, XMP_STAT_STOPPED_IMAGE);
    xmp_sync_images_all(&status);
    expect("sync_images_all", status, XMP_STAT_STOPPED_IMAGE);
    int other = 2 - xmpc_this_image();
    xmp_sync_images(1, &other, &status);
    expect("sync_images", status, XMP_STAT_SUCCESS);
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task on p[0:2:2]"), XMP_ON(p_xmp, 1, XMP_FROM_TO(0, 2, 2)), 0);
    if (XMP_Task_enter(&task))
        for (int i = 0; i < 20; i++) {
            int number = i;
            XMP_Put_run(XMP_SITE("put"), a_xmp, 1 - xmpc_this_image(), a_xmp->base, &number, sizeof number);
            xmp_sync_all(&status);
            expect("sync_all in the task", status, XMP_STAT_SUCCESS);
            expect("the other's put", *(int*)a_xmp->base, i);
            xmp_sync_all(NULL);
        }
    XMP_Task_leave(&task);
}

/* This image's block of g[3], one element for each image. */
static int* declare_global(void) {
    const XMP_Bounds bounds = {0, 2};
    const XMP_Format format = XMP_FORMAT_BLOCK(0, 0);
    const XMP_Align align = {0, 0};
    XMP_Template* const t = XMP_Template_declare(XMP_SITE("template t"), "t", XMP_ROW_MAJOR, 1, &bounds);
    XMP_Distribute(XMP_SITE("distribute t"), t, p_xmp, &format);
    return XMP_Array_declare(XMP_SITE("align g"), "g", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 1, &bounds, t, &align, NULL)->base;
}

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    mode = argv[1];
    const int me = xmpc_this_image();
    int *const a = a_xmp->base, value = 7, status = -1;
    if (is("stopped")) {
        xmp_sync_all(NULL);
        if (me != 1) without_image_1();
    }
    if (is("last-words")) { /* what an image did before its end counts */
        if (me == 1) XMP_Put_run(XMP_SITE("put"), a_xmp, 0, a, &value, sizeof value);
        if (me == 1) XMP_Post(XMP_SITE("post(p[0], 4)"), XMP_ON(p_xmp, 1, XMP_AT(0)), 4);
        int one = 1, zero = 0;
        if (me < 2) xmp_sync_images(1, me == 0 ? &one : &zero, NULL);
        if (me == 0) XMP_Wait(XMP_SITE("wait(p[1], 4)"), XMP_ON(p_xmp, 1, XMP_AT(1)), (const int[]){4});
        if (me == 0) expect("the last put", *a, 7);
    }
    if (is("stopped-lock")) {
        if (me == 1) XMP_Lock(XMP_SITE("lock(lock_object:[0])"), lock_xmp, 0, lock_xmp->base, NULL, NULL);
        xmp_sync_all(NULL);
        if (me == 0) XMP_Lock(XMP_SITE("lock(lock_object:[0])"), lock_xmp, 0, lock_xmp->base, NULL, &status);
        if (me == 0) expect("lock", status, XMP_STAT_STOPPED_IMAGE);
    }
    if (is("stopped-without-status") && me != 1) xmp_sync_all(NULL);
    if (is("wait") && me == 0) XMP_Wait(XMP_SITE("wait(p[1])"), XMP_ON(p_xmp, 1, XMP_AT(1)), NULL);
    if (is("wait-any") && me == 0) XMP_Wait(XMP_SITE("wait"), NULL, NULL);
    if (is("image") && me == 0) XMP_Put_run(XMP_SITE("a[0]:[3]"), a_xmp, 3, a, &value, sizeof value);
    if (is("outside") && me == 0) XMP_Get_run(XMP_SITE("a[10]:[1]"), a_xmp, 1, a + 10, &value, sizeof value);
    if (is("shape") && me == 0) {
        const XMP_Section four = {a, 1, {4}, {4}}, five = {a, 1, {5}, {4}};
        XMP_Put(XMP_SITE("a[0:4]:[1] = a[0:5]"), a_xmp, 1, &four, &five, sizeof(int));
    }
    if (is("size")) XMP_Coarray_expect(a_xmp, "a", 11 * sizeof(int));
    if (is("no-coarray")) XMP_Coarray_of(XMP_SITE("value:[1]"), &value);
    if (is("sync-range")) xmp_sync_image(3, NULL);
    if (is("unlock") && me == 0) XMP_Unlock(XMP_SITE("unlock(lock_object:[2])"), lock_xmp, 2, lock_xmp->base, NULL);
    if (is("unreached")) { /* a global array, and a transport that reaches only memory of its own */
        int* const block = declare_global();
        if (me == 0) XMP_Get_run(XMP_SITE("g[0]:[1]"), XMP_Coarray_of(XMP_SITE("g[0]:[1]"), block), 1, block, &status, sizeof status);
    }
    if (is("large")) XMP_Coarray_declare("huge", (size_t)1 << 50, NULL);
    return 0;
}
