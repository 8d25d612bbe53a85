/* Elements of global arrays in the subscripts of directives: only one node has them. */
int where[8], owner[8], x;
#pragma xmp nodes p[*]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p
#pragma xmp align where[i] with t[i]
int main(void) {
#pragma xmp task on t[where[3]]
    x = 1;
#pragma xmp bcast(x) from p[owner[1]]
#pragma xmp bcast(x) from p[where[1] + 1]
#pragma xmp barrier on t[2:where[0]]
    return 0;
}
