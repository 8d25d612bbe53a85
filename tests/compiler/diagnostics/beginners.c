/* What beginners forget: each help is what to write next. */
#define N 8
double x[N], y[N][N], z[N], w[N];
#pragma xmp nodes p[*]
#pragma xmp align w[i] with forgotten[i]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]
#pragma xmp align z[i] with t[i]
#pragma xmp align y[i][*] with t[i]
#pragma xmp shadow y[1]

int main(void) {
    double own[4]:[*];
    own[0]:[1] = 2;
#pragma xmp loop on t[i]
    for (int i = 1; i < N - 1; i++) z[i] = x[i - 1] + x[i + 1];
    return 0;
}
