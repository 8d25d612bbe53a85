#pragma xmp nodes p[4]

int main(void) {
    return 0;
}
