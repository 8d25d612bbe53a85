// C23: attributes where they may stand, digit separators, binary numbers, labels before declarations.
[[maybe_unused]] static int unused;
double u[1'6];
#pragma xmp nodes p[*]
#pragma xmp template t[0b10000]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i] with t[i]
[[nodiscard("why")]] static int stepped(int a, int [[maybe_unused]] b) {
    switch (a) {
        case 1: a++; [[fallthrough]];
        default: a--;
    }
    return a;
}
struct [[deprecated]] old { int a; [[maybe_unused]] int b; };
enum e { A [[deprecated]] = 1, B };
int twice [[gnu::pure]] (int x) { return 2 * x; }

int main(void) {
    [[maybe_unused]] int k = 0b101, thousand = 1'000;
#pragma xmp loop on t[i]
    for (int i = 0; i < 16; i++) { [[maybe_unused]] int q = i; u[i] = i; }
    if (k > 5) goto here;
    for ([[maybe_unused]] int z = 0; k < 4; k++) thousand = twice(k);
here: [[maybe_unused]] int z = 3;
    return stepped(k, B) > 5;
}
