#include <xmp.h>
#define N 16
double u[N][N], v[N];
int steps;
#pragma xmp nodes procs[*]
#pragma xmp template grid[N]
#pragma xmp distribute gird[block] onto procs
#pragma xmp distribute grid[block] onto proc
#pragma xmp template half[N / 2]
#pragma xmp distribute half[block] onto procs
#pragma xmp align uu[j][*] with half[j]
#pragma xmp align u[j][*] with grdi[j]
#pragma xmp align v[j] with half[j]
int main(void) {
    double total = 0;
#pragma xmp loop on hafl[j]
    for (int j = 0; j < N / 2; j++) total += v[j];
#pragma xmp loop on half[j] reduction(+:totl)
    for (int j = 0; j < N / 2; j++) total += v[j];
#pragma xmp loop on grid[j]
    for (int j = 0; j < N / 2; j++) total += v[j];
#pragma xmp task on half2[0]
    total = 1;
#pragma xmp reflect (vv)
#pragma xmp reflect (steps)
#pragma xmp bcast (totals)
#pragma xmp barrier on late[0]
#pragma xmp nodes late[*]
    xmp_desc_of(halv);
    xmp_desc_of(steps);
    return 0;
}
