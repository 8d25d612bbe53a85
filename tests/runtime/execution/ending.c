/* Ends in the way that its argument names; endings.py looks at what comes out. Written as generated code is. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kumihimo/generated.h"
#include "kumihimo/xmp.h"

static XMP_Nodes* nodes(XMP_Index count) {
    const XMP_Index sizes[] = {count};
    return XMP_Nodes_declare(XMP_SITE("nodes p[n]"), "p", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, NULL);
}

static XMP_Template* blocks(XMP_Nodes* p, XMP_Index extent) {
    const XMP_Bounds bounds[] = {{0, extent - 1}};
    const XMP_Format formats[] = {XMP_FORMAT_BLOCK(0, 0)};
    XMP_Template* const t = XMP_Template_declare(XMP_SITE("template t[n]"), "t", XMP_ROW_MAJOR, 1, bounds);
    XMP_Distribute(XMP_SITE("distribute t[block] onto p"), t, p, formats);
    return t;
}

static XMP_Array* array(XMP_Template* t, XMP_Index extent) {
    const XMP_Bounds bounds[] = {{0, extent - 1}};
    const XMP_Align align[] = {{0, 0}};
    return XMP_Array_declare(XMP_SITE("align u[i] with t[i]"), "u", XMP_ROW_MAJOR, XMP_TYPE_DOUBLE, sizeof(double), 1, bounds,
                             t, align, NULL);
}

/* Holds the lock of a stream as long as it lives: what another thread does that waits for input. */
static void* wait_for_input(void* stream) {
    (void)fgetc(stream);
    return NULL;
}

static FILE* waited_for(void) {
    int ends[2];
    pthread_t thread;
    if (pipe(ends) != 0) abort();
    FILE* const stream = fdopen(ends[0], "r");
    if (pthread_create(&thread, NULL, wait_for_input, stream) != 0) abort();
    while (ftrylockfile(stream) == 0) { /* until the thread has it */
        funlockfile(stream);
        usleep(1000);
    }
    return stream;
}

static void exit_3(void) {
    exit(3);
}
static void exit_3_on(int signal) {
    (void)signal;
    exit(3);
}

static void in_a_task(void) {
    XMP_Nodes* const p = nodes(XMP_REMAINING);
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task on p[:]"), XMP_ON(p, 1, XMP_ALL), 0);
    if (XMP_Task_enter(&task)) exit(3);
}

/* What an MPI program does that was given directives. */
static int mpi_program(int* argc, char*** argv) {
    int provided = -1, size = 0;
    if (MPI_Init(argc, argv) != MPI_SUCCESS || MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_SERIALIZED || size != xmp_all_num_nodes() || MPI_Finalize() != MPI_SUCCESS) return 1;
    nodes(XMP_REMAINING);
    return 0;
}

/* MPI and XcalableMP begun by the program itself, in either order; 0: all as it should be. */
static int begun_by_hand(int* argc, char*** argv, int mpi_first) {
    int initialized = 0, finalized = 0, size = 0;
    if (mpi_first) {
        MPI_Init(argc, argv);
        xmp_init_mpi(argc, argv);
    } else {
        xmp_init(MPI_COMM_WORLD);
        MPI_Initialized(&initialized);
        if (!initialized || MPI_Init(argc, argv) != MPI_SUCCESS) return 1;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != xmp_all_num_nodes()) return 1;
    array(blocks(nodes(XMP_REMAINING), 100), 100);
    if (!mpi_first) xmp_finalize();
    if (MPI_Finalize() != MPI_SUCCESS) return 1;
    MPI_Finalized(&finalized);
    return finalized != mpi_first; /* what the runtime has begun it ends, later */
}

/* xmp_init where XcalableMP runs already. */
static int begun_again(void) {
    xmp_init(MPI_COMM_WORLD);
    xmp_finalize();
    nodes(XMP_REMAINING); /* it goes on */
    xmp_init(MPI_COMM_SELF);
    return 1;
}

static void outside_task(void) {
    XMP_Nodes* const p = nodes(XMP_REMAINING);
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task on p[0]"), XMP_ON(p, 1, XMP_AT(0)), XMP_TASK_NOCOMM);
    if (XMP_Task_enter(&task)) (void)xmp_get_mpi_comm();
    XMP_Task_leave(&task);
    sleep(60);
}

static XMP_Unit old_unit = {XMP_ABI_VERSION + 1, "old.c", NULL, NULL, NULL};

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "old-unit") == 0) XMP_Register(&old_unit);
    if (strcmp(how, "mpi-first") == 0) return begun_by_hand(&argc, &argv, 1);
    if (strcmp(how, "xmp-first") == 0) return begun_by_hand(&argc, &argv, 0);
    if (strcmp(how, "not-begun") == 0) nodes(XMP_REMAINING);
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
    if (strcmp(how, "while-a-thread-reads") == 0) return waited_for() == NULL;
    if (strcmp(how, "all-3-while-a-thread-reads") == 0) return waited_for() == NULL ? 1 : 3;
    if (strcmp(how, "last-3-while-a-thread-reads") == 0) {
        if (me == last) exit(waited_for() == NULL ? 1 : 3);
        sleep(60);
    }
    if (strcmp(how, "signal-3") == 0) {
        signal(SIGUSR1, exit_3_on);
        flockfile(stdout); /* as if it came in the middle of printf */
        raise(SIGUSR1);
    }
    if (strcmp(how, "atexit-3") == 0) return atexit(exit_3);
    if (strcmp(how, "task-3") == 0) in_a_task();
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "mpi") == 0) return mpi_program(&argc, &argv);
    if (strcmp(how, "again") == 0) return begun_again();
    if (strcmp(how, "nodes") == 0) nodes(99);
    if (strcmp(how, "large") == 0) array(blocks(nodes(XMP_REMAINING), (XMP_Index)1 << 50), (XMP_Index)1 << 50);
    if (strcmp(how, "different") == 0) {
        XMP_Template* const t = blocks(nodes(XMP_REMAINING), 100);
        if (me != last) XMP_Barrier(XMP_SITE("barrier"), NULL);
        array(t, 100);
    }
    if (strcmp(how, "element") == 0) {
        XMP_Array* const u = array(blocks(nodes(XMP_REMAINING), 100), 100);
        const XMP_Index index[] = {99};
        double* const there = XMP_Element(XMP_PLACE("loop on t[i]"), u, index); /* the last node has it, the others not */
        *there = 1.0;
        sleep(60);
    }
    if (strcmp(how, "nocomm") == 0) outside_task();
    fprintf(stderr, "ending.c: unknown ending %s\n", how);
    return 99;
}
