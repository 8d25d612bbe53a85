/* options: --check */
#define N 8
double x[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]

int main(void) {
#pragma xmp task on p[0]
    x[5] = 1;
    return 0;
}
