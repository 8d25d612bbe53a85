/* options: --check */
double x[8], y[8];
#pragma xmp nodes p[*]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]
#pragma xmp align y[i] with t[i]
#pragma xmp shadow x[1:0]
int main(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < 8; i++) x[i] = i;
#pragma xmp reflect (x)
#pragma xmp loop on t[i]
    for (int i = 0; i < 8; i++) x[i] *= 2;
#pragma xmp loop on t[i]
    for (int i = 1; i < 8; i++) y[i] = x[i] - x[i - 1];
    return 0;
}
