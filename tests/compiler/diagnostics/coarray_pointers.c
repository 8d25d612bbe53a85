/* Coarray pointers and containers, used wrongly. */
#include <xmp.h>

typedef struct {
    double (*a)[10]:[][];
} container;
struct outer {
    container inner[2];
};
struct wrong {
    double b[10]:[*];
    double c:[];
};
double values[10]:[];
double (*mixed)[10]:[2][];
void (*function)(void):[];
static container both:[*];
double *y:[], *plain, **chain:[];
container of_function(void);
#pragma xmp nodes p[*]
#pragma xmp coarray on p :: y
double (*next(void))[10];
extern double *y:[][];

int main(void) {
    struct outer automatic;
    static struct outer held;
    plain = xmp_comalloc(80);
    y = xmp_comalloc(80, 2);
    held.inner[0].a = xmp_comalloc(80);
    double *other = (double *)xmp_comalloc(80);
    y = xmp_comalloc();
    y:[0] = 1;
    y[0]:[0][1] = 1;
    chain[0][1]:[0] = 1;
    held.inner[y[0] > 1]:[0];
    held.inner[*y++ > 1].a[0][0]:[0][0] = 1;
    plain[0]:[0] = *other;
    return automatic.inner[0].a != NULL;
}
