#define N 8
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double x[N];
#pragma xmp align x[i] with t[i]
#pragma xmp shadow x[1]

static double sum(double v[N]) {
#pragma xmp align v[i] with t[i]
    double all = 0;
#pragma xmp loop on t[i] reduction(+:all)
    for (int i = 0; i < N; i++) all += v[i];
    return all;
}

int main(void) { return sum(x) != 0; }
