/* The array construct on every layout, beside the loops that mean the same. Plain gcc takes the loops. */
#include <math.h>
#include <stdio.h>
#ifdef _XMP
#include <xmp.h>
#endif

#define N 21
#define M 13

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template one[N]
#pragma xmp template c[N + 4]
#pragma xmp template f(3:N + 2, -1:M - 2)
#pragma xmp template d[:]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute one[cyclic] onto p
#pragma xmp distribute c[cyclic(3)] onto p
#pragma xmp distribute f(*, cyclic(2)) onto p
#pragma xmp distribute d[block] onto p

struct pair {
    int first;
    double second;
};
struct field {
    double value[N];
} field;
double a[N], b[N], product[N];
long w[N], x[N], rows[N][M], flat[M][N];
struct pair pairs[N];
float *grown;
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align product[i] with one[i]
#pragma xmp align w[i] with c[i + 4]
#pragma xmp align x[i] with c[i + 4]
#pragma xmp align rows[*][i] with f(*, i - 1)
#pragma xmp align flat[i][*] with f(*, i - 1)
#pragma xmp align pairs[i] with one[i]
#pragma xmp align field.value[i] with one[i]
#pragma xmp align grown[i] with d[i]
#pragma xmp shadow a[2]

static void show(const char *name, double sum) {
#pragma xmp task on p[0] nocomm
    printf("%s %.10g\n", name, sum);
}

static long weighed(const long *values, int i, long weight) { return values[i] * weight; }

static void show_vectors(const char *name) {
    double sum = 0;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += a[i] * (i + 1) + b[i] * (3 * i + 2);
    show(name, sum);
}

static void show_cyclic(const char *name) {
    double sum = 0;
#pragma xmp loop on c[i + 4] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += w[i] * (i + 1.0) + x[i] * (i * i + 3.0);
#pragma xmp loop on one[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += product[i] * i + pairs[i].first * 5.0 * i + pairs[i].second;
    show(name, sum);
}

static void show_planes(const char *name) {
    double sum = 0;
#pragma xmp loop on f(*, i - 1) reduction(+ : sum)
    for (int i = 0; i < M; i++)
        for (int k = 0; k < N; k++) sum += rows[k][i] * (k + 2.0) * (i + 1) + flat[i][k] * (k * 7.0 + i);
    show(name, sum);
}

static void fill(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        a[i] = i * 0.5;
        b[i] = 100 - i;
    }
#pragma xmp loop on one[i]
    for (int i = 0; i < N; i++) {
        product[i] = i;
        pairs[i].first = i;
        pairs[i].second = 2 * i;
    }
#pragma xmp loop on c[i + 4]
    for (int i = 0; i < N; i++) {
        w[i] = i;
        x[i] = 3 * i;
    }
#pragma xmp loop on f(*, i - 1)
    for (int i = 0; i < M; i++)
        for (int k = 0; k < N; k++) {
            rows[k][i] = k * M + i;
            flat[i][k] = i - k;
        }
}

int main(void) {
    const int from = 2, length = N - 5;
    long local[N];
    for (int i = 0; i < N; i++) local[i] = 1000 + i;
    fill();
#ifdef _XMP
#pragma xmp array on t[:]
    b[:] = sqrt(a[:]) + 1;
#pragma xmp reflect(a)
#pragma xmp array on t[2:N - 4]
    a[2:N - 4] = a[0:N - 4] - a[4:N - 4];
#else
    for (int i = 0; i < N; i++) b[i] = sqrt(a[i]) + 1;
    double kept[N];
    for (int i = 0; i < N; i++) kept[i] = a[i];
    for (int i = 2; i < N - 2; i++) a[i] = kept[i - 2] - kept[i + 2];
#endif
    show_vectors("block, neighbours of the target itself");
#ifdef _XMP
#pragma xmp array on c[from + 4:length]
    w[from:length] = local[from:length] + x[from:length];
#pragma xmp array on c[4:(N + 1) / 2:2]
    x[0::2] += w[0::2] * 2;
#pragma xmp array on one
    product[:] = 2;
#pragma xmp array on one[:]
    pairs[:].first = 7;
#pragma xmp array on one(1:N - 1)
    pairs[1:N - 1].second = product[1:N - 1] + pairs[1:N - 1].first;
#pragma xmp array on c[N + 3:N:-1]
    w[N - 1:N:-1] = local[N - 1:N:-1] - local[0:N];
#pragma xmp array on c
    w[N - 2:N / 3:-3] += w[N - 2:N / 3:-3] * 2 + 1;
#else
    for (int i = from; i < from + length; i++) w[i] = local[i] + x[i];
    for (int i = 0; i < N; i += 2) x[i] += w[i] * 2;
    for (int i = 0; i < N; i++) product[i] = 2;
    for (int i = 0; i < N; i++) pairs[i].first = 7;
    for (int i = 1; i < N; i++) pairs[i].second = product[i] + pairs[i].first;
    for (int i = 0; i < N; i++) w[N - 1 - i] = local[N - 1 - i] - local[i];
    for (int k = 0; k < N / 3; k++) w[N - 2 - 3 * k] += w[N - 2 - 3 * k] * 2 + 1;
#endif
    show_cyclic("cyclic, steps, members, offsets");
#ifdef _XMP
    for (int k = 1; k < N; k++) {
#pragma xmp array on f(*, -1:M - 2)
        rows[k][:] = rows[k - 1][:] + k;
    }
#pragma xmp array on f
    flat[:][1:N - 1] = flat[:][0:N - 1] * 3;
#pragma xmp array on f(*, 0:M - 2)
    flat[1:M - 1][0:4] -= 5;
#else
    for (int k = 1; k < N; k++)
        for (int i = 0; i < M; i++) rows[k][i] = rows[k - 1][i] + k;
    for (int i = 0; i < M; i++)
        for (int k = N - 1; k > 0; k--) flat[i][k] = flat[i][k - 1] * 3;
    for (int i = 1; i < M; i++)
        for (int k = 0; k < 4; k++) flat[i][k] -= 5;
#endif
    show_planes("two dimensions, one of them on each node");
#ifdef _XMP
#pragma xmp template_fix d[N]
    grown = xmp_malloc(xmp_desc_of(grown), N);
#pragma xmp array on d[:]
    grown[0:N] = 1.5f * N;
#pragma xmp array on c[4:N]
    w[:] = weighed(local, from, 3) + x[:];
    double sum = 0;
#pragma xmp loop on d[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += grown[i];
    show("allocated", sum);
#pragma xmp array on one
    field.value[:] = weighed(local, 0, 0) * 0 + 2.5;
    sum = 0;
#pragma xmp loop on one[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += field.value[i];
    show("member of a structure", sum);
#else
    for (int i = 0; i < N; i++) w[i] = weighed(local, from, 3) + x[i];
    show("allocated", 1.5f * N * N);
    show("member of a structure", 2.5 * N);
#endif
    show_cyclic("calls");
    return 0;
}
