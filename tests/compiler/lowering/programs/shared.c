#include "shared.h"
double shared_array[S][3];
#pragma xmp align shared_array[i][*] with shared_t[i]
struct shared_field shared = {7, {0}, {{0}}, {0}};
double shared_sum(void) {
    double sum = 0;
#pragma xmp loop on shared_t[i]
    for (int i = 0; i < S; i++) for (int k = 0; k < 3; k++) shared_array[i][k] = i + k;
#pragma xmp loop on shared_t[i] reduction(+:sum)
    for (int i = 0; i < S; i++) for (int k = 0; k < 3; k++) sum += shared_array[i][k];
    return sum;
}
