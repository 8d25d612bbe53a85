#include <xmp.h>
#define N 10
int a[N]:[*], grid[N]:[2][*];
int b[N], count;
int *elsewhere:[*];
double bad[N]:[4];
double worse:[*][2];
extern int outside[N]:[*] = {1};
int *start = &a[2];
xmp_lock_t lock:[*];
struct bits {
    unsigned low : 4;
} bits:[*];
#pragma xmp nodes p[*]
#pragma xmp nodes q[2][*]
#pragma xmp coarray on p :: b
#pragma xmp coarray on r :: a
#pragma xmp coarray missing:[*]
int f(int x);
void parameters(int x:[*], double y[]:[*]) {
    y[0]:[1] = y[0]:[1][2];
}
int main(void) {
    int automatic[N]:[*];
    static double x[4][5]:[*];
    int k = 1;
    b[0]:[1] = 2;
    k = count:[k] + undeclared:[k];
    k = a[0]:[1][2];
    k = a[0]:[2.0];
    grid[0]:[k] = 1;
    a[0]:[k] %= 3;
    elsewhere[0]:[1] = 3;
    f(&a[1]:[k]);
    f(a:[k]);
    k = bits:[k].low;
    f(a[0:2]);
    k = a[0:2];
    k = a[:]:[1] + 1;
    b[a[0:2]] = 1;
    if (a[0:2]) b[:]++;
    x[0:2] = 1;
    b[:] = x[:][0];
    b[0:3] = a[0:4]:[1];
    x[:][0:2] = x[0:4][:];
    b[5:6] = 0;
    b[3:2:-4] = 0;
    b[0:0] = 1;
    b[0:2.5] = a[0]:[1.0];
    b[0:5:0] = 1;
    elsewhere[:] = 1;
    b[::-1] = 1;
    f(k)[0:2] = 1;
#pragma xmp lock(a[0]:[1])
#pragma xmp unlock(k)
#pragma xmp lock(nothing:[1])
#pragma xmp post(q[0][:], 1)
#pragma xmp post(*, 1)
#pragma xmp image(s)
    xmp_atomic_add(b[0], 1);
    xmp_atomic_add(x[0][0]:[1], 1);
    xmp_atomic_ref(a[0]:[1]);
    return automatic[0];
}
