/* Loops of every form; prints sums that plain gcc computes too, each behind the name of its case. */
#include <stdio.h>
#include <stdlib.h>
#define N 60
#define M 37
#ifdef _XMP
#include <xmp.h>
#endif
int a[N], b[N], c[N], d[N], e[N][M], f[N][M], g[N + 4], h[M][N], full[N];
double x[N], y[N];
static unsigned long s[N];
float *pa, (*pb)[M];
long remote[400];
int gl, master;
#pragma xmp nodes p[*]
#pragma xmp template tb[N], tc[N], tk[N], t2[N][M], tg(0:N+3)
#pragma xmp distribute tb[block] onto p
#pragma xmp distribute tc[cyclic] onto p
#pragma xmp distribute tk[cyclic(3)] onto p
#pragma xmp distribute t2[cyclic(4)][*] onto p
#pragma xmp distribute tg(block) onto p
#pragma xmp template far[10000000000]
#pragma xmp distribute far[cyclic(100)] onto p
#pragma xmp align remote[k] with far[k + 4999999990]
#pragma xmp align a[i] with tb[i]
#pragma xmp align b[i] with tc[i]
#pragma xmp align c[i] with tk[i]
#pragma xmp align [i] with tb[i], shadow[2] :: x, y
#pragma xmp align s[i] with tk[i]
#pragma xmp align d[i] with tc[i]
#pragma xmp align e[i][j] with t2[i][j]
#pragma xmp align f[i][*] with t2[i][*]
#pragma xmp align h[*][i] with tk[i]
#pragma xmp align g[i] with tg[i]
#pragma xmp align full[i] with tc[i]
#pragma xmp shadow full[*]
long left[N][M], right[M][M], product[N][M];
#pragma xmp align [i][*] with tb[i] :: left, product
struct totals {
    double sum;
    struct {
        int most[2];
    } in;
} totals = {5, {{3, 4}}};
static long counts[3][2] = {{1, 2}, {3, 4}, {5, 6}};
static long weigh(int i) { return (long)i * i % 17; }
/* By how much the nest changes an element that somebody else's pointer leads to. */
static __attribute__((noinline)) long product_through(const long *here) {
    const long before = here ? *here : 0;
#pragma xmp loop on tb[i]
    for (int i = 0; i < N; i++)
        for (int k = 0; k < M; k++)
            for (int j = 0; j < M; j++) product[i][j] += left[i][k] * right[k][j];
    return here ? *here - before : 0;
}
int main(int argc, char **argv) {
    int i, j;
    unsigned k;
    long sum = 0;
    if (argc > 5) return 1;
    (void)argv;
#pragma xmp task on p[0] nocomm
    master = 1;
#pragma xmp loop on tb[i]
    for (i = 0; i < N; i++) a[i] = 3 * i;
#pragma xmp loop on tc[i]
    for (i = 0; i < N; i++) b[i] = d[i] = 5 * i + 1;
#pragma xmp loop on tk[i]
    for (i = 0; i < N; i++) c[i] = 7 * i + 2;
#pragma xmp loop on tb[i] reduction(+:sum)
    for (i = N - 1; i >= 3; i -= 2) sum += a[i] * (long)i;
    if (master) printf("block, backwards in steps of two: %ld i=%d\n", sum, i);
    sum = 100;
#pragma xmp loop on tc[i] reduction(+:sum)
    for (i = N - 1; i > 3; i -= 3) sum += b[i] * (long)i;
    if (master) printf("cyclic, backwards in steps of three: %ld i=%d\n", sum, i);
    sum = 0;
#pragma xmp loop on tk[i] reduction(+:sum)
    for (i = N - 1; i >= 0; i--) sum += c[i] * (long)i;
    if (master) printf("cyclic(3), backwards: %ld i=%d\n", sum, i);
    sum = 0;
#pragma xmp loop on tk[k] reduction(+:sum)
    for (k = N - 1; k > 0; k--) sum += c[k] * (long)k;
    if (master) printf("cyclic(3), unsigned and backwards: %ld k=%u\n", sum, k);
    sum = 0;
#pragma xmp loop (i) on tk[i] reduction(+:sum)
    for (j = 0; j < 3; j++)
        for (i = j; i < N; i += 2) sum += c[i] * (long)(i + j);
    if (master) printf("cyclic(3), from the variable of a serial loop in steps of two: %ld\n", sum);
    sum = 0;
#pragma xmp loop on tk[k] reduction(+:sum)
    for (k = 5; k <= N - 2; k += 4) sum += c[k] + k;
    if (master) printf("cyclic(3), unsigned in steps of four: %ld k=%u\n", sum, k);
    sum = 0;
#pragma xmp loop on tk[k] reduction(+:sum)
    for (k = 0; k < N; k++) sum += c[k];
    if (master) printf("cyclic(3), unsigned and whole: %ld\n", sum);
    sum = 0;
#pragma xmp loop on tb[gl] reduction(+:sum)
    for (gl = 0; gl != N; ++gl) { if (gl % 2) continue; sum += a[gl]; }
    if (master) printf("block, global loop variable and continue: %ld gl=%d\n", sum, gl);
#pragma xmp loop on t2[i][j]
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) e[i][j] = i * 100 + j;
#pragma xmp loop (i) on t2[i][:]
    for (i = 0; i < N; i++) {
        for (j = M - 1; j >= 0; j--) f[i][j] = e[i][j] + (j ? e[i][j - 1] : 0);
    }
    sum = 0;
#pragma xmp loop (j, i) on t2[i][j] reduction(+:sum)
    for (int j = 0; j < M; j++)
        for (int i = 1; i < N; i += 2) sum += e[i][j] + (f[i][j] & 15) * i;
    if (master) printf("two dimensions, nested in the other order: %ld\n", sum);
#pragma xmp loop on tk[i]
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) h[j][i] = c[i] - j;
    sum = 0;
#pragma xmp loop on tk[i] reduction(+:sum)
    for (i = 2; i < N; i++)
        for (j = 0; j < M; j++) sum += h[j][i] * (j + 1) + weigh(i);
    if (master) printf("second dimension aligned, call of a function: %ld\n", sum);
#pragma xmp loop on tb[i]
    for (i = 0; i < N; i++) x[i] = i * 0.5, y[i] = -1;
#pragma xmp reflect (x) width(2)
#pragma xmp loop on tb[i]
    for (i = 2; i < N - 2; i++) y[i] = x[i - 2] + x[i + 2] - x[i - 1] * 0.25;
    double ysum = 0, big = -1e30, small = 1e30;
    int at = -1;
#pragma xmp loop on tb[i] reduction(+:ysum) reduction(max:big) reduction(min:small)
    for (i = 0; i < N; i++) {
        ysum += y[i];
        if (y[i] > big) big = y[i];
        if (y[i] < small) small = y[i];
    }
    if (master) printf("reflect, then sum, max and min: %.10g %.10g %.10g\n", ysum, big, small);
    int m = -5, where = -1, m2 = 1000, w2 = -1, w3 = -1;
#pragma xmp loop on tk[i] reduction(firstmax:m/where, at/)
    for (i = 0; i < N; i++) {
        int v = (c[i] * 13) % 23;
        if (v > m) { m = v; where = i; at = c[i]; }
    }
    if (master) printf("firstmax with two locations: %d %d %d\n", m, where, at);
#pragma xmp loop on tc[i] reduction(lastmin:m2/w2/)
    for (i = 0; i < N; i++) {
        if (b[i] % 4 == 1) continue;
        int v = (b[i] * 13) % 23;
        if (v <= m2) { m2 = v; w2 = i; }
    }
    if (master) printf("lastmin and continue: %d %d\n", m2, w2);
    long far_sum = 0;
#pragma xmp loop on far[i + 5000000000]
    for (i = -7; i < 300; i++) remote[i + 10] = i;
#pragma xmp loop on far[i + 5000000000] reduction(+:far_sum)
    for (i = 299; i > -8; i -= 3) far_sum += remote[i + 10] * 9L;
    if (master) printf("positions beyond the loop variable's type: %ld\n", far_sum);
    long least = 1000;
    int row = -1, column = -1;
#pragma xmp loop (j) on tc[j] reduction(lastmin:least/row, column/)
    for (int i = 2; i < 5; i++)
        for (int j = 0; j < 23; j++) {
            const long value = (8 * (i - 2) + 9 * j + 34) % 97 / 16;
            if (value <= least) least = value, row = i, column = j;
        }
    if (master) printf("lastmin over a serial loop and a distributed one: %ld %d %d\n", least, row, column);
#pragma xmp loop (i, j) on t2[i][j] reduction(firstmin:small/w2, w3/)
    for (i = N - 1; i >= 0; i--)
        for (j = 0; j < M; j++)
            if ((e[i][j] * 7 % 31) - 100 < small) { small = (e[i][j] * 7 % 31) - 100; w2 = i; w3 = j; }
    if (master) printf("firstmin in two dimensions, backwards: %g %d %d\n", small, w2, w3);
    m2 = 1000, w2 = w3 = -1;
#pragma xmp loop (i) on tc[i] reduction(lastmin:m2/w3, w2/)
    for (j = 2; j < 5; j++) /* a tie: the serial loop decides */
        for (i = 0; i < 23; i++) {
            const int x = (8 * (j - 2) + 9 * i + 34) % 97 / 16;
            if (x <= m2) { m2 = x; w3 = j; w2 = i; }
        }
    if (master) printf("lastmin inside a serial loop: %d %d %d\n", m2, w3, w2);
    m2 = 1000, w2 = w3 = -1;
#pragma xmp loop (i) on tk[i] reduction(lastmin:m2/w3, w2/)
    for (j = 0; j < 4; j++) /* a loop over blocks must not stand around it */
        for (i = 0; i < 23; i += 2)
            if ((i + 5 * j + 5) % 11 <= m2) { m2 = (i + 5 * j + 5) % 11; w3 = j; w2 = i; }
    if (master) printf("lastmin over blocks inside a serial loop: %d %d %d\n", m2, w3, w2);
    unsigned bits = 0xffff, any = 0; int land = 1, lor = 0; long prod = 1; unsigned char ex = 0;
#pragma xmp loop on tc[i] reduction(&:bits) reduction(|:any) reduction(&&:land) reduction(||:lor) \
    reduction(*:prod) reduction(^:ex)
    for (i = 0; i < 9; i++) {
        bits &= ~(1u << i); any |= 1u << (2 * i); land = land && b[i] > 0; lor = lor || b[i] == 11; prod *= i + 1; ex ^= b[i];
    }
    if (master) printf("bitwise and logical operators, product: %x %x %d %d %ld %d\n", bits, any, land, lor, prod, ex);
    double w[3] = {1, 2, 3};
#pragma xmp loop on tb[i] reduction(+:w)
    for (i = 0; i < N; i++) w[i % 3] += x[i];
    if (master) printf("reduction of an array: %g %g %g\n", w[0], w[1], w[2]);
#pragma xmp loop on tk[i]
    for (i = 0; i < N; i++) s[i] = c[i];
    sum = 0;
#pragma xmp loop (i) on tg(i + 2) reduction(+:sum)
    for (i = -2; i <= 61; i++) sum += i;
    if (master) printf("on tg(i + 2), from below zero: %ld\n", sum);
#pragma xmp loop (i) on tg[i]
    for (i = 0; i < N + 4; i++) g[i] = i;
    sum = 0;
#pragma xmp loop (i) on tg[i + 1] reduction(+:sum)
    for (i = -1; i < N + 3; i++) sum += g[i + 1] * i;
    if (master) printf("on tg[i + 1], sizeof: %ld %zu %zu\n", sum, sizeof(e) / sizeof(e[0]), sizeof(e[0]) / sizeof e[0][0]);
    sum = 0;
#pragma xmp loop (j) on t2[j][:] reduction(+:sum)
    for (j = 0; j < N; j++) {
#pragma xmp loop (i) on t2[j][i]
        for (i = 0; i < M; i++) e[j][i] += 1;
        sum += e[j][2];
    }
    if (master) printf("loop directive in a loop directive: %ld\n", sum);
    sum = 0;
#pragma xmp loop on tc[i] reduction(+:sum)
    for (i = 0; i < N; i++) { full[i] = b[i] * 2; sum += full[i]; }
    if (master) printf("full shadow: %ld\n", sum);
    sum = 0;
#pragma xmp loop on t2[i][j] reduction(+:sum)
    for (i = 0; i < N; i++)
        for (j = i % 5; j < M - i % 3; j++) sum += e[i][j];
    if (master) printf("inner bounds from the outer variable: %ld\n", sum);
    sum = 0;
#pragma xmp loop (j) on t2[j][:] reduction(+:sum)
    for (j = 0; j < N; j++) {
        for (int times = 0; times < 3; times++) { /* between two directives */
#pragma xmp loop (i) on t2[j][i]
            for (i = 0; i < M; i++) f[j][i] = e[j][i] + times;
        }
        sum += f[j][j % M];
    }
    if (master) printf("serial loop between two directives: %ld\n", sum);
    struct totals *const total = &totals;
    gl = 2;
#pragma xmp loop on tk[i] reduction(+:totals.sum, counts[2][gl - 1]) reduction(max:total->in.most[1]) reduction(*:counts[0])
    for (i = 0; i < N; i++) {
        totals.sum += c[i];
        counts[2][gl - 1] += i;
        if (total->in.most[1] < i * 3 % 41) total->in.most[1] = i * 3 % 41;
        if (i % 17 == 3) counts[0][0] *= 2;
        if (i % 9 == 3) counts[0][1] *= 3;
    }
    if (master) printf("members: %g %d %d\n", totals.sum, total->in.most[0], total->in.most[1]);
    if (master) printf("elements: %ld %ld %ld %ld %ld\n", counts[0][0], counts[0][1], counts[1][1], counts[2][0], counts[2][1]);
    int histogram[7] = {1, 2, 3, 4, 5, 6, 7}, table[4][3] = {{0}}, *const later = histogram + 4, from = 1;
#pragma xmp loop on tk[i] reduction(+:histogram[from:gl], table[1:2][:]) reduction(max:later[from - 1:gl], table[3:][:])
    for (i = 0; i < N; i++) {
        histogram[1 + i % 2] += i;
        table[1 + i % 2][i % 3] += i;
        if (later[i % 2] < i) later[i % 2] = i;
        if (table[3][i % 3] < i) table[3][i % 3] = i;
        from = 5; /* the section is that from before the loop */
    }
    if (master) printf("section with variable bounds:");
    for (i = 0; i < 7 * master; i++) printf(" %d", histogram[i]);
    if (master) printf("\nrows:");
    for (i = 0; i < 12 * master; i++) printf(" %d", table[i / 3][i % 3]);
    if (master) printf("\n");
    long *here = NULL;
    for (i = 0; i < M * M; i++) right[i / M][i % M] = i % 7;
#pragma xmp loop on tb[i]
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) left[i][j] = (i + j) % 5, product[i][j] = i - j;
#pragma xmp loop on tb[i]
    for (i = 0; i < 1; i++) here = &product[i][1];
    sum = product_through(here);
    if (master) printf("matrix product, through a pointer: %ld\n", sum);
    sum = 0;
#pragma xmp loop on tb[i] reduction(+:sum)
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) sum += product[i][j] * (i ^ j);
    if (master) printf("matrix product: %ld\n", sum);
    return 0;
}
