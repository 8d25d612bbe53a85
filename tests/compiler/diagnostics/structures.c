/* Members of structures as global arrays, where they cannot be. */
#define N 16
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
struct field {
    int steps;
    double value[N];
};
#pragma xmp align field.value[i] with t[i]
#pragma xmp align field.other[i] with t[i]
#pragma xmp shadow nothing.value[1]
struct field u, v, many[4];
double through(struct field *f) { return f->value[0]; }
int main(void) {
    struct field local;
    u = v;
    many[1].value[0] = 2;
    local.value[0] = through(&u);
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) u.value[i + 1] = v.value[i];
    return 0;
}
