/* The XcalableMP part, compiled by xmpcc as C. */
#include "table.h"

#pragma xmp nodes p[*]
#pragma xmp template t[TABLE_SIZE]
#pragma xmp distribute t[block] onto p

static double table[TABLE_SIZE];
#pragma xmp align table[i] with t[i]

void table_of(double (*f)(double), double from, double to, double values[TABLE_SIZE]) {
#pragma xmp loop on t[i]
    for (int i = 0; i < TABLE_SIZE; i++) table[i] = f(from + (to - from) * i / (TABLE_SIZE - 1));
    /* From the parts of all nodes to the caller's memory, on each node. */
#pragma xmp gmove
    values[0:TABLE_SIZE] = table[:];
}

double table_integral(double (*f)(double), double from, double to) {
    const double width = (to - from) / TABLE_SIZE;
    double sum = 0;
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 0; i < TABLE_SIZE; i++) {
        const double left = from + i * width;
        sum += f(left) + 4 * f(left + width / 2) + f(left + width);
    }
    return sum * width / 6;
}
