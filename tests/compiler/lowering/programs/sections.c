/* Sections without a beginning, a length or both, of nodes whose number and of a template whose shape is not known to the
 * compiler; prints whether the right number of nodes took part. */
#include <stdio.h>
#ifdef _XMP
#include <xmp.h>
#else
#define xmp_num_nodes() 1
#endif
#define N 24
int visits, master;
#pragma xmp nodes p[*]
#pragma xmp nodes q[*][1]
#pragma xmp template t[:]
#pragma xmp distribute t[cyclic] onto p
#pragma xmp template plane[N][N]
#pragma xmp distribute plane[cyclic][block] onto q

static void answer(int line, int expected) {
#pragma xmp reduction(+:visits)
    if (master) printf("%d %s\n", line, visits == expected ? "right" : "wrong");
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
#ifdef _XMP
    if (all > 1) {
#pragma xmp task on p[1:]
        visits = 1;
    }
    answer(1, all - 1);
#pragma xmp task on p[:1]
    visits = 1;
    answer(2, 1);
#pragma xmp task on p(2:)
    visits = 1;
    answer(3, all - 1);
#pragma xmp task on p(:1)
    visits = 1;
    answer(4, 1);
#pragma xmp task on p[::2]
    visits = 1;
    answer(5, (all + 1) / 2);
#pragma xmp task on p[::-1]
    visits = 1;
    answer(6, all);
#pragma xmp task on t[N - 1:]
    visits = 1;
    answer(7, 1);
#pragma xmp task on t[:2]
    visits = 1;
    answer(8, all < 2 ? all : 2);
    const int back = -N;
#pragma xmp task on t(:0:back)
    visits = 1;
    answer(9, 1);
    visits = all > 1 ? part() : 0;
    answer(10, all - 1);
#pragma xmp loop (i) on plane[i][N / 2:] reduction(+:visits)
    for (int i = 0; i < N; i++) visits++;
    visits = master ? visits : 0;
    answer(11, N);
#pragma xmp loop (i) on q[:][i]
    for (int i = 0; i < 1; i++) visits++;
    answer(12, all);
#pragma xmp task on q[1:][:]
    visits++;
    answer(13, all - 1);
#else
    (void)all, (void)part;
    for (int line = 1; line <= 13; line++) answer(line, 0);
#endif
    return 0;
}
