#include <xmp.h>
#define N 16
int u[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i] with t[i]
double sum:[*];
int most:[*], at:[*];
int main(void) {
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += u[i] + sum:[0];
#pragma xmp loop on t[i] reduction(firstmax : most / at /)
    for (int i = 0; i < N; i++)
        if (u[i] > most) most = u[i], at = i + at:[1];
    return sum > most;
}
