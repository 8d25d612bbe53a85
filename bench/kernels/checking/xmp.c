/* Loops for bench/checking.py: what --check says of one in front of it, and what it says of each element. */
#include <xmp.h>

#include "../timing.h"

#ifndef N
#define N 1000
#endif
#ifndef REPEAT
#define REPEAT 20
#endif

#pragma xmp nodes p[*]
#pragma xmp template line[N * N]
#pragma xmp distribute line[block] onto p
#pragma xmp template deal[N * N]
#pragma xmp distribute deal[cyclic] onto p
#pragma xmp template square[N][N]
#pragma xmp distribute square[block][*] onto p
double u[N][N], v[N][N], dealt[N * N], sum[N * N], whole[N * N], ends[N * N];
int column[N * N];
#pragma xmp align u[i][j] with square[i][j]
#pragma xmp align v[i][j] with square[i][j]
#pragma xmp shadow u[1][0]
#pragma xmp align dealt[i] with deal[i]
#pragma xmp align sum[i] with line[i]
#pragma xmp align column[i] with line[i]
#pragma xmp align ends[i] with line[i]
#pragma xmp shadow ends[1]
#pragma xmp align whole[i] with line[i]
#pragma xmp shadow whole[*]
double own[N]:[*];

static void set_up(void) {
#pragma xmp loop on square[i][j]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) u[i][j] = v[i][j] = (i + 3 * j) % 17;
#pragma xmp loop on line[i]
    for (int i = 0; i < N * N; i++) {
        sum[i] = 0;
        column[i] = (int)((i * 7919LL) % (N * N));
        whole[i] = i % 13;
        ends[i] = i % 7;
    }
#pragma xmp loop on deal[i]
    for (int i = 0; i < N * N; i++) dealt[i] = i % 11;
    for (int i = 0; i < N; i++) own[i] = i;
}

static void stencil(void) {
#pragma xmp reflect(u)
#pragma xmp loop on square[i][j]
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

static void conditional_stencil(void) {
#pragma xmp reflect(u)
#pragma xmp loop on square[i][j]
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            if ((i + j) % 2) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

static void conditional_update(void) {
#pragma xmp loop on square[i][j]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (v[i][j] > 5) u[i][j] = 0.5 * (u[i][j] + v[i][j]);
}

static void conditional_line(void) {
#pragma xmp reflect(ends)
#pragma xmp loop on line[i]
    for (int i = 1; i < N * N - 1; i++)
        if (i % 3) sum[i] = ends[i - 1] + ends[i + 1] - ends[i];
}

static void conditional_cyclic(void) {
#pragma xmp loop on deal[i]
    for (int i = 0; i < N * N; i++)
        if (dealt[i] > 2) dealt[i] = 0.5 * dealt[i] + 2;
}

static void indirect(void) {
#pragma xmp reflect(whole)
    for (int k = 0; k < 4; k++) {
#pragma xmp loop on line[i]
        for (int i = 0; i < N * N; i++) sum[i] += whole[column[i]];
    }
}

static void own_coarray(void) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) own[i] = 0.5 * own[i] + k;
}

static void measure(const char *name, void (*loop)(void)) {
    double microseconds[REPEAT];
    loop();
    for (int repetition = 0; repetition < REPEAT; repetition++) {
#pragma xmp barrier
        const double start = seconds_now();
        loop();
        end_repetition();
        microseconds[repetition] = 1e6 * (seconds_now() - start);
    }
    if (xmpc_node_num() == 0) bench_cell(name, 0, NULL, microseconds, REPEAT);
}

int main(void) {
    double total = 0;
    set_up();
    measure("stencil", stencil);
    measure("stencil under a condition", conditional_stencil);
    measure("update under a condition", conditional_update);
    measure("line, under a condition", conditional_line);
    measure("cyclic, under a condition", conditional_cyclic);
    measure("full shadow, index from an array", indirect);
    measure("own elements of a coarray", own_coarray);
#pragma xmp loop on square[i][j] reduction(+:total)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) total += u[i][j] + v[i][j];
#pragma xmp loop on line[i] reduction(+:total)
    for (int i = 0; i < N * N; i++) total += sum[i];
#pragma xmp loop on deal[i] reduction(+:total)
    for (int i = 0; i < N * N; i++) total += dealt[i];
    if (xmpc_node_num() == 0) {
        bench_check(total + own[N / 2]);
        bench_end();
    }
    return 0;
}
