#define N 16
double u[N][N], v[N], w[N], x[N];
#pragma xmp nodes p[*], p2[2][*], p3(2, *)
#pragma xmp nodes q[*], q[4]
#pragma xmp template t[N], t2[N][N], tm[:][N], tb[0:N - 1], tn(5:1)
#pragma xmp distribute t[block][block] onto p
#pragma xmp distribute t[block] onto p2
#pragma xmp distribute t2[block][*] onto p
#pragma xmp align u[i] with t2[i][*]
#pragma xmp align u[i][j] with t2[i]
#pragma xmp align v[i] with t2[i][i]
#pragma xmp align w[i] with t2[k][*]
#pragma xmp align x[:] with t2[:][:]
#pragma xmp shadow v[1][1]
#pragma xmp nodes part[2] = p[*]
#pragma xmp template tz[N]
#pragma xmp distribute tz[cyclic(0)] onto p
int main(void) {
#pragma xmp loop on t2[i]
    for (int i = 0; i < N; i++) v[i] = 0;
#pragma xmp task on p[0][1]
    v[0] = 0;
#pragma xmp barrier on p[0:4:0]
    return 0;
}
