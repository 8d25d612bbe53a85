/* A small tool in the way of Darshan: defines MPI_x and PMPI_x, counts, and calls PMPI_x behind itself. At the end of each rank it
 * says what it saw. With COUNT_BY_NAME=1 it calls PMPI_x by name instead, as tools do that know nothing of others. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int opens, writes, closes;

__attribute__((destructor)) static void tell(void) {
    if (opens + writes + closes > 0) fprintf(stderr, "tool: opens %d writes %d closes %d\n", opens, writes, closes);
}

static int by_name(void) {
    return getenv("COUNT_BY_NAME") != NULL;
}

int MPI_File_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file) {
    int (*next)(MPI_Comm, const char *, int, MPI_Info, MPI_File *) = dlsym(RTLD_NEXT, "PMPI_File_open");
    ++opens;
    return by_name() ? PMPI_File_open(comm, name, amode, info, file) : next(comm, name, amode, info, file);
}

int MPI_File_write_all(MPI_File file, const void *buffer, int count, MPI_Datatype type, MPI_Status *status) {
    int (*next)(MPI_File, const void *, int, MPI_Datatype, MPI_Status *) = dlsym(RTLD_NEXT, "PMPI_File_write_all");
    ++writes;
    return by_name() ? PMPI_File_write_all(file, buffer, count, type, status) : next(file, buffer, count, type, status);
}

int MPI_File_close(MPI_File *file) {
    int (*next)(MPI_File *) = dlsym(RTLD_NEXT, "PMPI_File_close");
    ++closes;
    return by_name() ? PMPI_File_close(file) : next(file);
}
