/* XcalableMP procedures called from a plain MPI program (appendix A.2): xmp_init twice, with different communicators. */
#include <mpi.h>
#include <stdio.h>

#include "kumihimo/generated.h"
#include "kumihimo/xmp.h"

static XMP_Nodes *p_xmp;
static int declared;

static void declare(void) {
    const XMP_Index sizes[] = {XMP_REMAINING};
    p_xmp = XMP_Nodes_declare(XMP_SITE("nodes p[*]"), "p", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, NULL);
    declared++;
}

static XMP_Unit unit = {XMP_ABI_VERSION, __FILE__, declare, NULL, NULL};
__attribute__((constructor)) static void register_unit(void) { XMP_Register(&unit); }

/* Fills this node's part of a global array of 5 elements a node, whose memory the MPI program owns. */
static int fill(int *memory) {
    int nodes = 0;
    xmp_nodes_size(p_xmp, 1, &nodes);
    const XMP_Bounds bounds[] = {{0, 5 * nodes - 1}};
    const XMP_Format formats[] = {XMP_FORMAT_BLOCK(0, 0)};
    const XMP_Align align[] = {{0, 0}};
    XMP_Template *t XMP_SCOPED(XMP_Template_release) = XMP_Template_declare(XMP_SITE("template t[n]"), "t", XMP_ROW_MAJOR, 1, bounds);
    XMP_Distribute(XMP_SITE("distribute t[block] onto p"), t, p_xmp, formats);
    XMP_Array *a XMP_SCOPED(XMP_Array_release) = XMP_Array_argument(
        XMP_SITE("align a[i] with t[i]"), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 1, bounds, t, align, NULL, memory);
    const int first = 5 * xmpc_node_num();
    for (int i = first; i < first + 5; i++) ((int *)a->origin)[i] = i;
    return nodes;
}

static int wrong;
static void check(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "foreign_main: %s\n", what);
    wrong = 1;
}

int main(int argc, char **argv) {
    int rank, size, memory[5] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    xmp_init(MPI_COMM_WORLD);
    check(fill(memory) == size, "the entire set is MPI_COMM_WORLD");
    for (int i = 0; i < 5; i++) check(memory[i] == 5 * rank + i, "element of the first part");
    xmp_finalize();

    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, -rank, &reversed);
    int number, members;
    MPI_Comm_rank(reversed, &number);
    MPI_Comm_size(reversed, &members);
    xmp_init(reversed);
    check(declared == 2, "units are declared again");
    check(xmpc_all_node_num() == number && fill(memory) == members, "the entire set is the communicator of xmp_init");
    for (int i = 0; i < 5; i++) check(memory[i] == 5 * number + i, "element of the second part");
    xmp_finalize();
    MPI_Comm_free(&reversed);

    MPI_Finalize();
    return wrong;
}
