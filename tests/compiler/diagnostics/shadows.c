#define N 16
double u[N][N], v[N][N], c[N], s[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N], tc[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute tc[cyclic(2)] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align v[j][*] with t[j]
#pragma xmp align s[j] with t[j + 1]
#pragma xmp shadow u[1][0]
#pragma xmp align c[j] with tc[j]
int main(void) {
#pragma xmp loop on t[j]
    for (int j = 2; j < N - 2; j++)
        for (int i = 1; i < N - 1; i++) v[j][i] = u[j - 1][i] + u[j + 2][i - 1] + u[j - 2][i + 1];
#pragma xmp loop on t[j]
    for (int j = 2; j < N - 2; j++) u[j][0] = v[1 + j][0];
#pragma xmp loop on tc[j]
    for (int j = 1; j < N; j++) c[j] = c[j - 1];
#pragma xmp loop on t[j]
    for (int j = 1; j < N; j++) u[j][0] = s[j - 1] + s[j];
    return 0;
}
