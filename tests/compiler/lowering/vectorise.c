/* One loop of each form that must become vector code. */
#define N 4000
double a[N], b[N], c[N], d[N], e[N], f[N];
float u[N][N], v[N][N];
int k[N];
#pragma xmp nodes p[*]
#pragma xmp template tb[N], tc[N], t4[N], t2[N][N]
#pragma xmp distribute tb[block] onto p
#pragma xmp distribute tc[cyclic] onto p
#pragma xmp distribute t4[cyclic(4)] onto p
#pragma xmp distribute t2[block][*] onto p
#pragma xmp align a[i] with tb[i]
#pragma xmp align b[i] with tb[i]
#pragma xmp shadow b[1]
#pragma xmp align c[i] with tc[i]
#pragma xmp align d[i] with tc[i]
#pragma xmp align e[i] with t4[i]
#pragma xmp align f[i] with t4[i]
#pragma xmp align k[i] with tc[i]
#pragma xmp align u[j][i] with t2[j][i]
#pragma xmp align v[j][i] with t2[j][i]
#pragma xmp shadow u[1][0]
void block(void) {
    int i;
#pragma xmp loop on tb[i]
    for (i = 1; i < N - 1; i++) a[i] = 0.5 * (b[i - 1] + b[i + 1]); // block
}
int g;
void block_with_global_variable(void) {
#pragma xmp loop on tb[g]
    for (g = 0; g < N; g++) a[g] = b[g] + 1; // global variable
}
void stencil(void) {
#pragma xmp loop (j, i) on t2[j][i]
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) v[j][i] = u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1]; // stencil
}
void cyclic(void) {
#pragma xmp loop on tc[i]
    for (int i = 0; i < N; i++) c[i] = d[i] * 2 + 1; // cyclic
}
void cyclic_with_value(void) {
#pragma xmp loop on tc[i]
    for (int i = 0; i < N; i++) k[i] = 3 * i; // cyclic with the variable's value
}
void cyclic4(void) {
#pragma xmp loop on t4[i]
    for (int i = 0; i < N; i++) e[i] = f[i] * 2 + 1; // cyclic(4)
}
