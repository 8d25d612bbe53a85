/* Aligned pointers that leave the start of their array, or could be assigned unseen; names that descriptors have. */
#include <stdlib.h>
double *u, *v, a[8];
int a_xmp;
#pragma xmp nodes p[*]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i] with t[i]
#pragma xmp align v[i] with t[i]
#pragma xmp align a[i] with t[i]
void swap(double **x, double **y);
int main(void) {
    int t_xmp = 0;
    u++;
    u += 2;
    (v)--;
    swap(&u, &v);
    return t_xmp;
}
