#define N 16
double u[N][N], v[N], s, local[N], *rows[4], (*grid)[N];
int k;
struct pair { int a, b; } pairs[N], aligned[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i] with t[i]
#pragma xmp align aligned[i] with t[i]
double f(void);
int main(void) {
#pragma xmp gmove
    u[:] = v[:];
#pragma xmp gmove
    local[:] = v;
#pragma xmp gmove
    grid[0:4] = u[0:4][:];
#pragma xmp gmove
    for (int i = 0; i < N; i++) v[i] = 0;
#pragma xmp gmove
    v[0] += 1;
#pragma xmp gmove
    v[:] = local[:] + 1;
#pragma xmp gmove
    s = f();
#pragma xmp gmove
    v[:] = -s;
#pragma xmp gmove
    v[:] = u[:][:];
#pragma xmp gmove
    local[:] = pairs[:];
#pragma xmp gmove
    k = aligned[3].a[0:1];
#pragma xmp gmove
    s = v[(int)v[0]];
#pragma xmp gmove
    s = v[1.5];
#pragma xmp gmove
    local[0:4:0] = v[0:4];
#pragma xmp gmove
    rows[0:4][0:N] = u[0:4][:];
#pragma xmp gmove in
    local[0:4] = local[4:4];
#pragma xmp gmove out async(1)
    s = v[3];
#pragma xmp gmove
    local[0:4] = s;
#pragma xmp gmove
    s = v[N];
#pragma xmp gmove
    v[1:N] = local[:];
#pragma xmp gmove
    u[0:4][:] = u[10::-3][:];
#pragma xmp gmove
    u[:][-1] = local[:];
#pragma xmp gmove
    u[0:4][0:2] = u[0:4][0:3];
#pragma xmp gmove
    v[:] = v[0:k];
#pragma xmp gmove
    v[0:-3] = s;
    return 0;
}
