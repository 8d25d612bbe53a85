// Linked to failing.f90: makes what happens seldom between machines happen always.
// - The first image hears of the last one's failure from others, before the last one's own messages come.
// - The last image is late with its looks for failures, so it has ended itself when it tells of others' ends.
// - Of the messages that images send each other none may be left.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { most = 64, message_bytes = 16, synced = 0, tests_until_delivery = 6 };

static int sent = 0, received = 0;
static char held[most][message_bytes];  // from the last image to the first
static int held_count = 0, delivered = 0;
static MPI_Comm held_communicator;

static int is_last(void) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return rank == size - 1;
}

// From the last SYNC IMAGES on.
static int holds(const void* data, int to) {
    int kind;
    memcpy(&kind, data, sizeof kind);
    return is_last() && to == 0 && !delivered && held_count < most && (held_count > 0 || kind == synced);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator, MPI_Request* request) {
    const int is_message = count == message_bytes;
    sent += is_message;
    if (!is_message || !holds(data, to)) return PMPI_Isend(data, count, type, to, tag, communicator, request);
    memcpy(held[held_count++], data, message_bytes);
    held_communicator = communicator;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status* status) {
    received += count == message_bytes;
    return PMPI_Recv(data, count, type, from, tag, communicator, status);
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
    static int tests = 0;
    if (is_last()) {
        usleep(6000);
        if (held_count > 0 && !delivered && ++tests == tests_until_delivery) {
            for (int i = 0; i < held_count; ++i) MPI_Send(held[i], message_bytes, MPI_BYTE, 0, 0, held_communicator);
            delivered = 1;
        }
    }
    return PMPI_Test(request, done, status);
}

int MPI_Finalize(void) {
    int lost = sent - received, rank;
    MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("messages %c\n", lost == 0 ? 'T' : 'F');
    return PMPI_Finalize();
}
