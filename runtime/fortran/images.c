/* Images of node arrays (specification 5.3 to 5.5): library functions whose last argument may be absent. Programs that call
 * them need coarrays of all nodes. */
#include "kumihimo/localview.h"

/* type(xmp_desc) holds an address. */
static xmp_desc_t nodes_of(const xmp_desc_t* nodes) {
    return nodes != NULL ? *nodes : NULL;
}

void xmp_get_primary_image_index_(const int* number, const int index[], int primary_index[], const xmp_desc_t* nodes) {
    XMP_Primary_image_index(1, *number, index, primary_index, nodes_of(nodes));
}

void xmp_get_image_index_(const int* number, const int index[], int current_index[], const xmp_desc_t* nodes) {
    XMP_Current_image_index(1, *number, index, current_index, nodes_of(nodes));
}

/* The same for `number` scalars, which is 1. */
void xmp_get_one_primary_image_index_(const int* number, const int* index, int* primary_index, const xmp_desc_t* nodes) {
    xmp_get_primary_image_index_(number, index, primary_index, nodes);
}

void xmp_get_one_image_index_(const int* number, const int* index, int* current_index, const xmp_desc_t* nodes) {
    xmp_get_image_index_(number, index, current_index, nodes);
}
