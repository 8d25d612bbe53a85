/* What programs for Omni ask its coarray library about itself, in its names. */
#include "kumihimo/localview.h"

int xmpf_coarray_allocated_bytes_(void) {
    return (int)XMP_Coarray_bytes();
}

/* Memory that is allocated for coarrays and not used by one: none. */
int xmpf_coarray_garbage_bytes_(void) {
    return 0;
}

int xmpf_coarray_malloc_bytes_(void) {
    return (int)XMP_Coarray_bytes();
}

/* Networks by their libraries: our transports have names of their own. */
int xmpf_coarray_uses_fjrdma_(void) {
    return 0;
}
int xmpf_coarray_uses_gasnet_(void) {
    return 0;
}
int xmpf_coarray_uses_mpi3_onesided_(void) {
    return 0;
}

/* Turns messages about its work on and off. */
void xmpf_coarray_msg_(const int* on) {
    (void)on;
}
