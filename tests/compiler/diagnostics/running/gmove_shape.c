#define N 8
double x[N], y[5];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]

int main(void) {
    int n = 5;
#pragma xmp gmove
    x[0:4] = y[0:n];
    return 0;
}
