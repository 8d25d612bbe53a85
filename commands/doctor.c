/* What `kumihimo doctor` compiles and runs: distributed arrays, a halo exchange and a reduction on 2 nodes. */
#include <stdio.h>
#include <xmp.h>

#define N 100
int x[N], y[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]
#pragma xmp align y[i] with t[i]
#pragma xmp shadow x[1]

int main(void) {
    int sum = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) x[i] = i;
#pragma xmp reflect (x)
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < N - 1; i++) {
        y[i] = x[i - 1] + x[i + 1];
        sum += y[i];
    }
#pragma xmp task on p[0]
    printf("nodes %d sum %d\n", xmp_all_num_nodes(), sum);
    return 0;
}
