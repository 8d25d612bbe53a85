/* The library functions of chapter 7 for programs that declare them `integer, external` instead of using the module xmp_lib:
 * names as gfortran writes external procedures. */
#include "kumihimo/generated.h"

int xmp_all_node_num_(void) {
    return xmp_all_node_num();
}
int xmp_all_num_nodes_(void) {
    return xmp_all_num_nodes();
}
int xmp_node_num_(void) {
    return xmp_node_num();
}
int xmp_num_nodes_(void) {
    return xmp_num_nodes();
}
int xmp_num_images_(void) {
    return xmp_num_images();
}
double xmp_wtime_(void) {
    return xmp_wtime();
}
double xmp_wtick_(void) {
    return xmp_wtick();
}
void xmp_exit_(const int* status) {
    xmp_exit(status != NULL ? *status : 0);
}
