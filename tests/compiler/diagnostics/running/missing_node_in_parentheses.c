#pragma xmp nodes p(*)

int main(void) {
    int sum = 1;
#pragma xmp bcast (sum) from p(3)
    return sum - 1;
}
