/* The part of the program that is written in C with XcalableMP, for C and C++ alike. No directive stands here: C++ does not know
 * what they are about. */
#ifndef TABLE_H
#define TABLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* All nodes together compute f at TABLE_SIZE points evenly from `from` to `to`; each gets the whole table. */
enum { TABLE_SIZE = 1000 };
void table_of(double (*f)(double), double from, double to, double values[TABLE_SIZE]);

/* The integral of f by Simpson's rule over TABLE_SIZE intervals, the same on all nodes. */
double table_integral(double (*f)(double), double from, double to);

#ifdef __cplusplus
}
#endif
#endif
