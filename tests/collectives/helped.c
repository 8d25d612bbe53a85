/* Image 2 waits in a collective function of MPI, while image 1 needs its answer before it comes there. */
#include <mpi.h>
#include <stdio.h>
#include <xmp.h>

#pragma xmp nodes p[2]
int there;
#pragma xmp coarray there : [*]

int main(void) {
    int me = xmpc_this_image(), one = 1, sum = 0;
    for (int i = 0; i < 3; ++i) {
        if (me == 0) {
            there:[1] = i + 1;
            xmp_sync_memory(NULL);
        }
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (me == 1) printf("%d of %d\n", there, sum);
    return 0;
}
