/* Sections that count down from nowhere: each help is what to write. */
#define N 100
double u[N][N], line[N];
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
