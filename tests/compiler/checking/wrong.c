/* Mistakes that `xmpcc --check` finds when the program runs; the argument chooses one. A comment marks where each is. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#define N 24
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template s[N][N]
#pragma xmp distribute s[block][*] onto p
double u[N], v[N], w[N][N];
#pragma xmp align u[i] with t[i]
#pragma xmp align v[i] with t[i]
#pragma xmp align w[i][j] with s[i][j]
#pragma xmp shadow u[1]
#pragma xmp shadow w[1][0]
#pragma xmp template r[N]
#pragma xmp distribute r[cyclic(2)] onto p
double c[N], whole[N];
#pragma xmp align c[i] with r[i]
#pragma xmp align whole[i] with r[i]
#pragma xmp shadow whole[*]

static const char *chosen = "";
static int is(const char *name) { return strcmp(chosen, name) == 0; }

/* ---- nodes that do not do the same ---- */
static void directives(int me) {
    int sum = me, source = is("sources") ? me == 1 : 0, width = is("widths") && me == 1 ? 0 : 1;
    double average = 1, part[N];
    const int length = is("sections") && me == 1 ? 4 : 5;
    if (is("kinds") && me == 0) {
#pragma xmp barrier // kinds
    } else {
#pragma xmp reduction(+:sum) // kinds
    }
    if (is("types") && me == 0) {
#pragma xmp reduction(+:average) // types
    } else {
#pragma xmp reduction(+:sum) // types
    }
#pragma xmp bcast(sum) from p[source] // sources
#pragma xmp reflect(u) width(width) // widths
#pragma xmp gmove // sections
    part[0:length] = u[0:length];
    if (is("loops") && me == 0) {
#pragma xmp barrier // loops
    } else {
#pragma xmp loop on t[i] reduction(+:sum) // loops
        for (int i = 0; i < N; i++) sum += i;
    }
    if (is("one node") && me == 0) {
#pragma xmp barrier // one node
    }
    printf("%g\n", part[0] + average);
}

/* ---- writes that only their node knows of ---- */
static void writes(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) u[i] = i;
#pragma xmp loop on s[i][:]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) w[i][j] = i;
#pragma xmp reflect(u, w)
    if (is("condition")) {
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++)
            if (i % 8 == 7) u[i] = 2 * i; // condition
    } else if (is("task")) {
#pragma xmp task on p[1]
#pragma xmp loop on t[i]
        for (int i = N / 3; i < 2 * N / 3; i++) u[i] = 2 * i; // task
    } else if (is("element")) {
#pragma xmp task on t[8]
        u[8] = 3; // element
    } else if (is("nested")) {
#pragma xmp loop on s[i][:]
        for (int i = 0; i < N; i++) {
#pragma xmp loop on s[i][j]
            for (int j = 0; j < 5; j++) w[i][j] = 3; // nested
        }
    } else if (is("array")) {
#pragma xmp array on t[0:N]
        u[0:N] = v[0:N] + 1; // array
    }
    /* Right: nobody mirrors what is written, or the old value was read before. */
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        if (i % 8 == 4) u[i] = 1;
#pragma xmp loop on t[i]
    for (int i = 1; i < N - 1; i++) v[i] = u[i - 1] + u[i + 1] + w[i - 1][2]; // condition task element nested array
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        if (i % 8 == 0) u[i] = 5;
#pragma xmp reflect(u, w)
#pragma xmp loop on t[i]
    for (int i = 1; i < N - 1; i++) v[i] = u[i - 1] + u[i + 1];
}

/* ---- single elements, of which most need no call: the same places do right before ---- */
static void elements(void) {
    for (int turn = 0; turn < 3; turn++) {
        const int wrong = turn == 2;
        if (turn != 2 || !is("old copy")) {
#pragma xmp reflect(u)
        }
#pragma xmp loop on t[i]
        for (int i = 1; i < N - 1; i++) {
            if (i % 8 == 3) v[wrong && is("elsewhere") ? (i + 8) % N : i] = i; // elsewhere
            if (i % 8 == 7) u[i + (wrong && is("shadow written"))] = i;        // shadow written
            if (i % 8 == 0) v[i] = u[i - 1];                                   // old copy
        }
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) u[i] = 0; // old copy
#pragma xmp reflect(whole)
#pragma xmp loop on r[i]
        for (int i = 0; i < N; i++) {
            if (i % 2 == 1) c[i + (wrong && is("dealt"))] += i; // dealt
            if (i % 4 == 1) c[i] = whole[N - 1 - i];
        }
        if (turn < 2 || is("old mirror")) {
#pragma xmp loop on r[i]
            for (int i = 0; i < N; i++)
                whole[i] = 0; // old mirror
        }
        if (wrong && is("old mirror")) {
#pragma xmp loop on r[i]
            for (int i = 0; i < N; i++)
                if (i % 4 == 1) c[i] = whole[N - 1 - i]; // old mirror
        }
    }
#pragma xmp reflect(u, whole)
}

int main(int argc, char **argv) {
    chosen = argc > 1 ? argv[1] : "";
    elements();
    writes();
    directives(xmpc_node_num());
    return 0;
}
