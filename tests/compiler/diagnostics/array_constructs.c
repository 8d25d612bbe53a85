#define N 16
double u[N], v[N][N], w[N], local[N], x[N], image[N]:[*];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template other[N][N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute other[block][*] onto p
#pragma xmp align u[i] with t[i]
#pragma xmp align v[i][*] with t[i]
#pragma xmp align w[i] with t[i]
#pragma xmp align x[i] with t[i]
#pragma xmp shadow x[1:0]
int main(void) {
#pragma xmp array on p[0:2]
    u[:] = 1;
#pragma xmp array on t[:]
    for (int i = 0; i < N; i++) u[i] = 1;
#pragma xmp array on t[:]
    u[3] = 1;
#pragma xmp array on other[:][:]
    u[:] = 1;
#pragma xmp array on t[:]
    u[:] = v[:][:];
#pragma xmp array on t[:]
    u[0:4] = w[0:5];
#pragma xmp array on t[:]
    u[:] = image[:]:[1];
#pragma xmp array on t[:]
    v[:] = 0;
#pragma xmp array on t[0:4][0:4]
    u[0:4] = 0;
#pragma xmp array on missing[:]
    u[:] = 0;
#pragma xmp array on t[:]
    u[0:4:0] = 0;
#pragma xmp array on t[:]
    local[:] = u[:];
    w[:] = 1;
#pragma xmp array on t[0:5]
    u[0:4] = 1;
#pragma xmp array on t[1:N-2]
    u[1:N-2] = w[0:N-2] + x[0:N-2] + x[2:N-2];
    return 0;
}
