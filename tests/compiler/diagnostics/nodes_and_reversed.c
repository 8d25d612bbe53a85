/* `*` where no dimension of nodes can be free, and sections that count down from nowhere: each help is what to write. */
#define N 100
double u[N][N], line[N];
#pragma xmp nodes p[2][*]
#pragma xmp nodes r[3][4][*]
#pragma xmp nodes q(*, 2)
#pragma xmp nodes everywhere[*][*]
#pragma xmp nodes s[*][2]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto s
#pragma xmp align u[j][i] with t[j][i]

int main(void) {
#pragma xmp gmove
    u[0][:] = line[::-1];
#pragma xmp gmove
    line[:] = u[::-3][0];
    line[::-1] = line[:];
    return 0;
}
