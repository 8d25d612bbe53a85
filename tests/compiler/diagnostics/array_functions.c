#include <xmp.h>
#define N 16
double u[N][N], v[N], w[N], local[N][N], *rows[4], *pointer, (*grid)[N];
float f[N][N];
int subscripts[N];
struct pair { int a, b; } pairs[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i] with t[i]
#pragma xmp align w[i] with t[i]
#pragma xmp align f[i][*] with t[i]
int main(void) {
    xmp_transpose(u, local);
    xmp_transpose(u, v, 0);
    xmp_transpose(u[:][:], f[:][:], 0);
    xmp_transpose(u[0][:], local, 0);
    xmp_matmul(u, u);
    xmp_matmul(u, u + 1, local);
    xmp_matmul(u, pairs, local);
    xmp_gather(v);
    xmp_gather(v, u, subscripts);
    xmp_gather(v, w, v);
    xmp_pack(v);
    xmp_pack(u, v, NULL);
    xmp_pack(v, u, u);
    xmp_sort_up(v, pointer);
    xmp_sort_up(v, rows[0]);
    xmp_matmul(u, grid[0:N][:], rows[0:4][0:N]);
    xmp_sort_down(v, t);
    return 0;
}
