#define N 8
double x[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]

int main(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i <= N; i++) x[i % N] = 1;
    return 0;
}
