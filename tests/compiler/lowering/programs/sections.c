/* Sections without a beginning, a length or both, of nodes whose number and of a template whose shape is not known to the
 * compiler; prints whether the right number of nodes took part. Plain gcc ignores the sections: every number is right. */
#include <stdio.h>
#ifdef _XMP
#include <xmp.h>
#define IS_RIGHT(expected) (visits == (expected))
#else
#define xmp_num_nodes() 1
#define IS_RIGHT(expected) 1
#endif
#define N 24
int visits, master;
#pragma xmp nodes p[*]
#pragma xmp nodes q[*][1]
#pragma xmp template t[:]
#pragma xmp distribute t[cyclic] onto p
#pragma xmp template plane[N][N]
#pragma xmp distribute plane[cyclic][block] onto q

static void answer(const char *name, int expected) {
#pragma xmp reduction(+:visits)
    if (master && IS_RIGHT(expected)) printf("%s: right\n", name);
    if (master && !IS_RIGHT(expected)) printf("%s: %d instead of %d\n", name, visits, expected);
    visits = 0;
}

static int part(void) {
#pragma xmp nodes tail[*] = p[1:]
    int members = 0;
#pragma xmp task on tail
    members = 1;
    return members;
}

int main(void) {
    const int all = xmp_num_nodes();
#pragma xmp task on p[0] nocomm
    master = 1;
#pragma xmp template_fix t[N]
    if (all > 1) {
#pragma xmp task on p[1:]
        visits = 1;
    }
    answer("p[1:]", all - 1);
#pragma xmp task on p[:1]
    visits = 1;
    answer("p[:1]", 1);
#pragma xmp task on p(2:)
    visits = 1;
    answer("p(2:)", all - 1);
#pragma xmp task on p(:1)
    visits = 1;
    answer("p(:1)", 1);
#pragma xmp task on p[::2]
    visits = 1;
    answer("p[::2]", (all + 1) / 2);
#pragma xmp task on p[::-1]
    visits = 1;
    answer("p[::-1]", all);
#pragma xmp task on t[N - 1:]
    visits = 1;
    answer("t[N - 1:]", 1);
#pragma xmp task on t[:2]
    visits = 1;
    answer("t[:2]", all < 2 ? all : 2);
    const int back = -N;
#pragma xmp task on t(:0:back)
    visits = 1;
    answer("t(:0:back)", 1);
    visits = all > 1 ? part() : 0;
    answer("nodes tail[*] = p[1:]", all - 1);
#pragma xmp loop (i) on plane[i][N / 2:] reduction(+:visits)
    for (int i = 0; i < N; i++) visits++;
    visits = master ? visits : 0;
    answer("loop on plane[i][N / 2:]", N);
#pragma xmp loop (i) on q[:][i]
    for (int i = 0; i < 1; i++) visits++;
    answer("loop on q[:][i]", all);
#pragma xmp task on q[1:][:]
    visits++;
    answer("q[1:][:]", all - 1);
    return 0;
}
