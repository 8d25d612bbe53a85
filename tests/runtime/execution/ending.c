/* Ends in the way that its argument names; endings.py looks at what comes out. Written as generated code is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kumihimo/generated.h"
#include "kumihimo/xmp.h"

static XMP_Nodes *nodes(XMP_Index count) {
    const XMP_Index sizes[] = {count};
    return XMP_Nodes_declare(XMP_SITE("nodes p[n]"), "p", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, NULL);
}

static XMP_Template *blocks(XMP_Nodes *p, XMP_Index extent) {
    const XMP_Bounds bounds[] = {{0, extent - 1}};
    const XMP_Format formats[] = {XMP_FORMAT_BLOCK(0, 0)};
    XMP_Template *const t = XMP_Template_declare(XMP_SITE("template t[n]"), "t", XMP_ROW_MAJOR, 1, bounds);
    XMP_Distribute(XMP_SITE("distribute t[block] onto p"), t, p, formats);
    return t;
}

static XMP_Array *array(XMP_Template *t, XMP_Index extent) {
    const XMP_Bounds bounds[] = {{0, extent - 1}};
    const XMP_Align align[] = {{0, 0}};
    return XMP_Array_declare(XMP_SITE("align u[i] with t[i]"), "u", XMP_ROW_MAJOR, XMP_TYPE_DOUBLE, sizeof(double), 1, bounds, t, align, NULL);
}

static void outside_task(void) {
    XMP_Nodes *const p = nodes(XMP_REMAINING);
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task on p[0]"), XMP_ON(p, 1, XMP_AT(0)), XMP_TASK_NOCOMM);
    if (XMP_Task_enter(&task)) (void)xmp_get_mpi_comm();
    XMP_Task_leave(&task);
    sleep(60);
}

static XMP_Unit old_unit = {XMP_ABI_VERSION + 1, "old.c", NULL, NULL, NULL};

int main(int argc, char **argv) {
    const char *const how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "old-unit") == 0) XMP_Register(&old_unit);
    XMP_Start(&argc, &argv);
    const int me = xmpc_all_node_num(), last = xmp_all_num_nodes() - 1;
    printf("node %d\n", me);
    if (strcmp(how, "good") == 0) return 0;
    if (strcmp(how, "all-3") == 0) return 3;
    if (strcmp(how, "exit-3") == 0) xmp_exit(3);
    if (strcmp(how, "last-3") == 0) return me == last ? 3 : 0;
    if (strcmp(how, "last-3-others-run") == 0) {
        if (me == last) exit(3);
        sleep(60);
    }
    if (strcmp(how, "last-4-others-allocate") == 0) {
        if (me == last) exit(4);
        array(blocks(nodes(XMP_REMAINING), 100), 100); /* collective: waits for the last node */
    }
    if (strcmp(how, "nodes") == 0) nodes(99);
    if (strcmp(how, "large") == 0) array(blocks(nodes(XMP_REMAINING), (XMP_Index)1 << 50), (XMP_Index)1 << 50);
    if (strcmp(how, "element") == 0) {
        XMP_Array *const u = array(blocks(nodes(XMP_REMAINING), 100), 100);
        const XMP_Index index[] = {99};
        double *const there = XMP_Element(XMP_SITE("loop on t[i]"), u, index); /* the last node has it, the others not */
        *there = 1.0;
        sleep(60);
    }
    if (strcmp(how, "nocomm") == 0) outside_task();
    fprintf(stderr, "ending.c: unknown ending %s\n", how);
    return 99;
}
