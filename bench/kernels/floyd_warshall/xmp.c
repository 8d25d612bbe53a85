/* PolyBench floyd-warshall: shortest paths between all pairs, rows in blocks; row k goes to everybody in step k. */
#include "../timing.h"

#ifndef N
#define N 700
#endif

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static int path[N][N], row[N];
#pragma xmp align path[i][*] with t[i]

int main(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) path[i][j] = (i + j) % 13 == 0 || (i + j) % 7 == 0 || (i + j) % 11 == 0 ? 999 : i * j % 7 + 1;
#pragma xmp barrier
    const double start = seconds_now();
    for (int k = 0; k < N; k++) {
#pragma xmp gmove
        row[:] = path[k][:];
#pragma xmp loop on t[i]
        for (int i = 0; i < N; i++) {
            const int to_k = path[i][k];
            for (int j = 0; j < N; j++) path[i][j] = path[i][j] < to_k + row[j] ? path[i][j] : to_k + row[j];
        }
    }
#pragma xmp barrier
    const double seconds = seconds_now() - start;
    long sum = 0;
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += path[i][j];
#pragma xmp task on p[0]
    report(seconds, (double)sum);
    return 0;
}
