/* gblock: uneven and empty blocks, in one and two dimensions, and with template_fix. */
#include <stdio.h>
#ifdef _XMP
#include <xmp.h>
#endif
#define N 40
#define M 12
int halves[1] = {M};
double w[N];
int master;
#pragma xmp nodes p[*]
#pragma xmp nodes q[*][1]
#pragma xmp template late[:]
#pragma xmp distribute late[gblock(*)] onto p
#pragma xmp align w[i] with late[i]

static double twice(double x) { return 2 * x; }
static double four_times(double x) { return twice(twice(x)); }

/* Some elements on the first node, the others on another one, nothing on the rest. */
static void divide(int nodes, int *sizes, int last, int first) {
    for (int k = 0; k < nodes; k++) sizes[k] = 0;
    sizes[last] = N - first;
    sizes[0] += first;
}

static void work(int nodes) {
    int sizes[nodes];
    divide(nodes, sizes, nodes - 1, 1);
#pragma xmp template t[N], plane[N][M]
#pragma xmp distribute t[gblock(sizes)] onto p
#pragma xmp distribute plane[gblock(sizes)][gblock(halves)] onto q
    double x[N], y[N][M], line_sum = 0, plane_sum = 0;
#pragma xmp align x[i] with t[i]
#pragma xmp shadow x[1]
#pragma xmp align y[i][j] with plane[i][j]
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) x[i] = four_times(i);
#pragma xmp loop (i, j) on plane[i][j]
    for (int i = N - 1; i >= 0; i--)
        for (int j = 0; j < M; j++) y[i][j] = i - 0.5 * j;
#pragma xmp loop on t[i] reduction(+:line_sum)
    for (int i = 1; i < N; i += 3) line_sum += x[i] * i;
#pragma xmp loop (i) on plane[i][:] reduction(+:plane_sum)
    for (int i = 2; i < N; i += 2)
        for (int j = 0; j < M; j++) plane_sum += y[i][j] * (i + j);
    if (master) printf("one dimension: %g\ntwo dimensions, backwards: %g\n", line_sum, plane_sum);
}

int main(void) {
    int i, nodes = 1;
    double sum = 0;
#ifdef _XMP
    nodes = xmp_num_nodes();
#endif
#pragma xmp task on p[0] nocomm
    master = 1;
    work(nodes);
    int later[nodes];
    divide(nodes, later, nodes / 2, 7);
#pragma xmp template_fix[gblock(later)] late[N]
#pragma xmp loop on late[i]
    for (i = 0; i < N; i++) w[i] = i * 1.5;
#pragma xmp loop on late[i] reduction(+:sum)
    for (i = N - 2; i >= 0; i--) sum += w[i] * w[i] + twice(i);
    if (master) printf("sizes from template_fix, backwards: %g %d\n", sum, i);
    return 0;
}
