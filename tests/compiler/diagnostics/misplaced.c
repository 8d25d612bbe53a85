/* Directives where none can be, and words that are none. */
enum { N = 8 };
#pragma xmp nodes p[*]
#pragma xmp template t[0:N]
#pragma xmp distribute t[block] onto p
double u[N];
#pragma xmp align u[i] with t[i]

#pragma xmp array on t[0:N]
#pragma xmp loop on t[i]
#pragma xmp barrier

struct cell {
    int a;
#pragma xmp nodes q[*]
#pragma xmp barrier
};

void f(int n)
#pragma xmp reflect (u)
{
    struct inner {
#pragma xmp align b[i] with t[i]
        int b[N];
    } one;
#pragma xmp array on t[99999999999999999999999999999999999999999999999999:1]
    u[0] = 1;
#pragma xmp task on p[
    n = 1;
#pragma xmp
#pragma xmp barrier on p[F(1]
}
#pragma xmp bcast (n)
