#define N 16
double u[N][N], v[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N], t2[N][N], tc[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute t2[block][*] onto p
#pragma xmp distribute tc[cyclic] onto p
#pragma xmp align v[j] with t[j]
#pragma xmp align u[j][i] with t2[j][i]
#pragma xmp reflect (u)
int next(int i);
int find(double key) {
    double x, sum = 0, *pointer = &sum;
    struct { double a; } record;
    int k = 3, where = 0, i = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) if (v[j] == key) return j;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) if (v[j] == key) break;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) if (v[j] == key) goto out;
#pragma xmp loop on t[i]
    for (int j = 0; j < N; j++) v[j] = 0;
#pragma xmp loop (i) on t2[i][:]
    for (int j = 0; j < N; j++) v[j] = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j = next(j)) v[j] = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j *= 2) v[j] = 0;
#pragma xmp loop on t[j]
    for (int j = 0; v[j] > 0; j++) v[j] = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j--) v[j] = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) j += 2;
#pragma xmp loop on t[k]
    for (double k = 0; k < N; k++) x = 0;
#pragma xmp loop on t[j]
    while (k) k--;
#pragma xmp loop on t[j] reduction(+:pointer) reduction(&:sum) reduction(+:record) reduction(+:v)
    for (int j = 0; j < N; j++) sum += v[j];
#pragma xmp loop on t[j] reduction(firstmax:sum)
    for (int j = 0; j < N; j++) sum += v[j];
#pragma xmp loop on t[j] reduction(max:sum/where/)
    for (int j = 0; j < N; j++) sum += v[j];
#pragma xmp loop on tc[j] expand(1)
    for (int j = 0; j < N; j++) sum += j;
#pragma xmp loop on t[j] expand(1) margin(1)
    for (int j = 0; j < N; j++) sum += j;
#pragma xmp loop on *
    for (int j = 0; j < N; j++) sum += j;
#pragma xmp task on p[0]
    {
        if (k) return 1;
        for (;;) break;
    }
    for (;;) {
#pragma xmp task on p[0]
        break;
    }
#pragma xmp tasks
    {
        sum = 0;
#pragma xmp task on p[0]
        sum = 1;
    }
    (void)x;
out:
    return -1;
}
void without_shadow(void) {
#pragma xmp reflect (u)
}
void enter(int k) {
    if (k) goto inside;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) {
    inside:
        v[j] = k;
    }
#pragma xmp task on p[0]
    {
    again:
        if (k) goto again;
    }
    goto again;
}
#pragma xmp nodes q[1][*]
#pragma xmp template t3[N][N]
#pragma xmp distribute t3[block][block] onto q
void collapsed(void) {
#pragma xmp loop (j, i) on t3[j][i]
#pragma omp parallel for collapse(2)
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) v[i] = 1;
}
void numbered(void) {
    int most = 0, at = 0;
#pragma xmp loop (j) on t[j] reduction(firstmax:most/at/)
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            if (j % 3 > most) most = j % 3, at = j;
}
void shared(void) {
    int most = 0, at = 0;
#pragma xmp loop (i) on t[i] reduction(firstmax:most/at/)
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (i % 3 > most) most = i % 3, at = i;
#pragma omp simd
#pragma xmp loop (i) on t[i] reduction(lastmin:most/at/)
    for (int i = 0; i < N; i++)
        if (i % 3 <= most) most = i % 3, at = i;
#pragma xmp loop on t3[j][*]
#pragma omp parallel for collapse(2)
    for (int j = 0; j < N; j++)
#pragma xmp loop on t3[*][i]
        for (int i = 0; i < N; i++) v[i] = 1;
}
