// A view of a million pieces, on a rank that gets no more memory: the engine cannot take part in the call.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static long pages_of_this_process(void) {
    long pages = 0;
    FILE* const sizes = fopen("/proc/self/statm", "r");
    if (sizes == NULL || fscanf(sizes, "%ld", &pages) != 1) abort();
    fclose(sizes);
    return pages;
}

int main(int argc, char** argv) {
    enum { pieces = 1000000 };
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int* const lengths = malloc(pieces * sizeof(int));
    MPI_Aint* const places = malloc(pieces * sizeof(MPI_Aint));
    for (int i = 0; i < pieces; ++i) {
        lengths[i] = 1 + i % 3;
        places[i] = 10 * (MPI_Aint)i + i % 7;
    }
    MPI_Datatype type;
    MPI_Type_create_hindexed(pieces, lengths, places, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (rank == 1) {
        const struct rlimit limit = {(rlim_t)(pages_of_this_process() * sysconf(_SC_PAGESIZE)), RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &limit);
    }
    MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
