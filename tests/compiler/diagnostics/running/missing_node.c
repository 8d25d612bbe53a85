#pragma xmp nodes p[*]

int main(void) {
#pragma xmp task on p[3]
    {}
    return 0;
}
