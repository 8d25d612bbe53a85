#define N 8
double x[N + 2];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]

int main(void) {
    return 0;
}
