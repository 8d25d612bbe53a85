/* What <xmp.h> tells on one node, arrays whose size is known at run time, and image control of a single image. */
#include <stdio.h>
#include <xmp.h>

float a[4][7];
double *d;
short (*e)[3];
#pragma xmp nodes p[*]
#pragma xmp template t[4]
#pragma xmp template s[:]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute s[block] onto p
#pragma xmp align a[i][*] with t[i]
#pragma xmp align d[i] with s[i]
#pragma xmp align e[i][*] with s[i]

static void tell(const char *name, xmp_desc_t array) {
    int rank = 0, sizes[7];
    xmp_array_ndims(array, &rank);
    printf("%s:", name);
    for (int dimension = 1; dimension <= rank; dimension++) {
        int lower = -1, upper = -1, length = -1, position = -1, lower_shadow = -1;
        xmp_array_lbound(array, dimension, &lower);
        xmp_array_ubound(array, dimension, &upper);
        xmp_array_lsize(array, dimension, &length);
        xmp_array_gtol(array, dimension, 2, &position);
        xmp_array_lshadow(array, dimension, &lower_shadow);
        printf(" %d to %d, %d here, 2 is %d, shadow %d;", lower, upper, length, position, lower_shadow);
    }
    xmp_array_lead_dim(array, sizes);
    printf(" %d\n", sizes[rank - 1]);
}

int main(void) {
    int n = 9, status = -1, index = 0, other = -1;
    printf("%d %d %d %d %d %d\n", xmp_all_node_num(), xmpc_all_node_num(), xmp_all_num_nodes(), xmp_node_num(),
           xmpc_node_num(), xmp_num_nodes());
    printf("%d %d %d\n", xmpc_this_image(), xmp_num_images(), xmp_wtime() > 0 && xmp_wtick() > 0);
#pragma xmp template_fix s[n]
    d = xmp_malloc(xmp_desc_of(d), n);
    e = (short (*)[3])xmp_malloc(xmp_desc_of(e), n, 3);
    tell("a", xmp_desc_of(a));
    tell("d", xmp_desc_of(d));
    tell("e", xmp_desc_of(e));
#pragma xmp loop on s[i]
    for (int i = 0; i < n; i++) d[i] = i, e[i][2] = i;
    void *memory = NULL;
    xmp_array_laddr(xmp_desc_of(d), &memory);
    printf("%g %d\n", ((double *)memory)[8], e[8][2]);
    xmp_free(xmp_desc_of(d));
    xmp_free(xmp_desc_of(e));
    xmp_sync_all(&status);
    xmp_get_primary_image_index(1, &index, &other, NULL);
    printf("%d %d %d\n", status, other, xmp_test_async(7));
    xmp_exit(0);
}
