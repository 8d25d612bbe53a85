#define N 16
double u[N][N], w[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribut t[block] onto p
#pragma xmp distribute t[blok] onto p
#pragma xmp distribute t[block] onto p
#pragma xmp align u[j][*] with t[j]
#pragma xmp align w[j] wth t[j]
#pragma xmp shdow u[1][0]
int main(void) {
    double sum = 0;
#pragma xmp lop on t[j]
#pragma xmp loop on t[j] reducton(+:sum)
    for (int j = 0; j < N; j++) sum += u[j][0];
#pragma xmp loop om t[j]
    for (int j = 0; j < N; j++) sum += u[j][0];
#pragma xmp reflect (u) widht(1, 0)
#pragma xmp reflect (u) width(/perodic/1, 0)
#pragma xmp reduction(mx:sum)
#pragma xmp bcast (sum) form p[0]
#pragma xmp barrier now
#pragma xmp
#pragma xmp shadow u[1
#pragma xmp tasklet on p[0]
    return 0;
}
