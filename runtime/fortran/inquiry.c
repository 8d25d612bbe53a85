/* The library functions of chapter 7 under the names that gfortran gives to external procedures: for xmp_lib.h, and for
 * programs that declare them `integer, external`. Arguments are addresses; a logical is an integer. */
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
int xmp_test_async_(const int* async_id) {
    return xmp_test_async(*async_id);
}
void xmp_barrier_(void) {
    xmp_barrier();
}

/* ---- mapping ---- */

/* type(xmp_desc) holds an address in an integer of 8 bytes. */
#define OBJECT(name, Answer)                           \
    int name##_(const xmp_desc_t* d, Answer* answer) { \
        return name(*d, answer);                       \
    }
#define DIMENSION(name)                                             \
    int name##_(const xmp_desc_t* d, const int* dim, int* answer) { \
        return name(*d, *dim, answer);                              \
    }

OBJECT(xmp_nodes_ndims, int)
DIMENSION(xmp_nodes_index)
DIMENSION(xmp_nodes_size)
OBJECT(xmp_nodes_attr, int)
int xmp_nodes_equiv_(const xmp_desc_t* d, xmp_desc_t* dn, int* lb, int* ub, int* st) {
    return xmp_nodes_equiv(*d, dn, lb, ub, st);
}
OBJECT(xmp_template_fixed, int)
OBJECT(xmp_template_ndims, int)
DIMENSION(xmp_template_lbound)
DIMENSION(xmp_template_ubound)
DIMENSION(xmp_dist_format)
DIMENSION(xmp_dist_blocksize)
DIMENSION(xmp_dist_gblockmap)
OBJECT(xmp_dist_nodes, xmp_desc_t)
DIMENSION(xmp_dist_axis)
DIMENSION(xmp_align_axis)
DIMENSION(xmp_align_offset)
DIMENSION(xmp_align_replicated)
OBJECT(xmp_align_template, xmp_desc_t)
OBJECT(xmp_array_ndims, int)
DIMENSION(xmp_array_lshadow)
DIMENSION(xmp_array_ushadow)
DIMENSION(xmp_array_lbound)
DIMENSION(xmp_array_ubound)
int xmp_array_gtol_(const xmp_desc_t* d, const int* dim, const int* g_idx, int* l_idx) {
    return xmp_array_gtol(*d, *dim, *g_idx, l_idx);
}
DIMENSION(xmp_array_lsize)
OBJECT(xmp_array_lda, int)

/* ---- MPI ---- */

int xmp_get_mpi_comm_(void) {
    return XMP_Fortran_communicator();
}
void xmp_init_mpi_(void) {
    xmp_init_mpi(NULL, NULL);
}
void xmp_finalize_mpi_(void) {
    xmp_finalize_mpi();
}
void xmp_init_(const int* comm) {
    XMP_Fortran_init(*comm);
}
void xmp_finalize_(void) {
    xmp_finalize();
}
