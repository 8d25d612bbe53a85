#define N 16
double u[N], v[N], w[N], x[N] = {1}, y[N], z[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N], lost[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute t[cyclic] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic] onto p
#pragma xmp align u[i] with t[i]
#pragma xmp align u[i] with t[i]
#pragma xmp shadow u[1]
#pragma xmp shadow u[2]
#pragma xmp align v[i] with c[i]
#pragma xmp shadow v[1]
#pragma xmp shadow w[-1]
#pragma xmp align x[i] with t[i]
#pragma xmp align z[i] with lost[i]
double first(void) { return y[0]; }
#pragma xmp align y[i] with t[i]
int main(void) {
#pragma xmp reflect (u) width(2)
#pragma xmp reflect (v)
#pragma xmp template_fix t[N]
#pragma xmp loop on lost[i]
    for (int i = 0; i < N; i++) z[i] = 0;
    static double kept[N];
#pragma xmp template inner[N]
#pragma xmp distribute inner[block] onto p
#pragma xmp align kept[i] with inner[i]
    kept[0] = 1;
    return 0;
}
