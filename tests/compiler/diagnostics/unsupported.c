#define N 16
double u[N], v[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i] with t[i]
#pragma xmp align v[i] with t[i]
int main(void) {
#pragma xmp gmove
    u[:] = v[:];
#pragma xmp array on t[0:N]
    u[:] = 1.0;
    u[0:4] = 0;
    return 0;
}
