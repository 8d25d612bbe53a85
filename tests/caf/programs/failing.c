// Linked to failing.f90: the last image comes to its looks for failures late, when it has ended itself, so it tells the others of
// ends then, too; and of the messages that images of different machines send each other none may be left.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int sent = 0, received = 0;

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator, MPI_Request* request) {
    ++sent;
    return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status* status) {
    ++received;
    return PMPI_Recv(data, count, type, from, tag, communicator, status);
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1) usleep(6000);
    return PMPI_Test(request, done, status);
}

int MPI_Finalize(void) {
    int rank, lost = sent - received;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("messages %c\n", lost == 0 ? 'T' : 'F');
    return PMPI_Finalize();
}
