/* Programs that compile and compute something else than the serial program. Each function has one such place; what stands
 * behind it looks alike and is right. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#define N 64
double u[N][N], v[N][N], w[N], copy[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align v[j][*] with t[j]
#pragma xmp align w[j] with t[j]
#pragma xmp nodes q[*][2]
#pragma xmp template s[N][N]
#pragma xmp distribute s[block][block] onto q
double square[N][N];
#pragma xmp align square[i][j] with s[i][j]
#pragma xmp shadow u[1][0]
#pragma xmp shadow w[1]

static void clear(double *values, int count) { memset(values, 0, count * sizeof *values); }
static void scale(double values[N])
#pragma xmp align values[i] with t[i]
{
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) values[i] *= 2;
}

static void names(FILE *file) {
    memset(u, 0, 16);
    fwrite(w, 8, 2, file);
    printf("%p\n", (void *)&v);
    clear(w, 2);
    scale(w);
    double *block;
    xmp_array_laddr(xmp_desc_of(w), (void **)&block);
    clear(block, 2);
}

static double sums(void) {
    double sum = 0, right = 0, late = 0, row, product = 1;
    int count = 0, mine = 0;
#pragma xmp loop on t[j] reduction(+:right)
    for (int j = 0; j < N; j++) {
        sum += w[j];
        right += w[j];
        late += w[j];
        row = 0;
        for (int i = 0; i < N; i++) row += u[j][i];
        w[j] = row;
        product *= w[j];
        if (w[j] > 0) count++;
        mine++;
    }
#pragma xmp reduction(+:late)
    printf("node %d has %d rows\n", xmp_node_num(), mine);
    return sum + right + late + product + count;
}

static void told(double value) {
    if (xmp_node_num() == 1) printf("%g\n", value);
}

static double extremes(void) {
    double most = 0, least = 0, sum = 0, last = 0;
    int all = 1, where = 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) {
        if (w[j] > most) {
            most = w[j];
            where = j;
        }
        least = w[j] < least ? w[j] : least;
        all = all && w[j] > 0;
        sum += w[j];
        last = w[j];
    }
    told(sum);
    return most + least + all + where + last;
}

static double otherwise(void) {
    double product = 1, sum = 0, most = 0;
#pragma xmp loop on t[j] reduction(*:product) reduction(+:sum) reduction(max:most)
    for (int j = 0; j < N; j++) {
        product += w[j];
        sum -= w[j];
        most += w[j];
    }
    return product + sum + most;
}

static void across(void) {
#pragma xmp loop on s[i][*]
    for (int i = 0; i < N; i++) square[i][i] = 1;
#pragma xmp loop on s[i][j]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) square[i][j] = w[3] + square[i][3] + square[0][j];
#pragma xmp loop (j) on s[4][j]
    for (int j = 0; j < N; j++) square[4][j] = 1;
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) w[j] = j == 3 ? w[3] : w[4];
}

static void neighbours(void) {
#pragma xmp loop on t[j]
    for (int j = 0; j < N - 1; j++) v[j][0] = w[j - 1];
#pragma xmp loop on t[j]
    for (int j = 1; j <= N - 1; j++) v[j][0] = w[j + 1];
#pragma xmp loop on t[j]
    for (int j = 1; j < N - 1; j++) v[j][0] = w[j - 1] + w[j + 1];
#pragma xmp loop on t[j]
    for (int j = 0; j < N; j++) v[j][0] = j > 0 ? w[j - 1] : 0;
#pragma xmp loop on t[j]
    for (int j = 0; j < N - 1; j++) w[j + 1] = v[j][0];
#pragma xmp loop on t[j]
    for (int j = 1; j < N; j++) w[j - 1] += v[j][0];
}

static void conditions(int n) {
    int me = xmpc_node_num();
    if (xmp_node_num() == 1) {
#pragma xmp reflect (u)
    }
    if (me > 0 && n) {
#pragma xmp barrier
    }
    for (int k = 0; k < me; k++) {
#pragma xmp gmove
        copy[0:N] = w[0:N];
    }
    if (me == 0) {
        printf("first\n");
#pragma xmp bcast (n)
    } else {
#pragma xmp bcast (n)
    }
    if (n > 0) {
#pragma xmp barrier
    }
}

int main(void) {
    u[50][60] = 1;
    double one = w[3];
#pragma xmp task on t[3]
    one = w[3];
    if (xmp_node_num() == 1) one = w[0];
    names(stdout);
    one += sums();
    one += otherwise() + extremes();
    across();
    neighbours();
    conditions(3);
    return one > 0;
}
