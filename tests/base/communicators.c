/* Preloaded: counts the communicators that a process makes, by the library that calls MPI for it. When the process ends each
 * prints a line "NUMBER made by LIBRARY". Independent of Kumihimo's own count, with which it is compared (test_made.py). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_libraries = 16 };
static struct {
    const char* name;
    int made;
} libraries[most_libraries];

static void count(const void* caller) {
    Dl_info found;
    const char* name = dladdr(caller, &found) && found.dli_fname ? found.dli_fname : "?";
    if (strrchr(name, '/')) name = strrchr(name, '/') + 1;
    for (int i = 0; i < most_libraries; ++i) {
        if (libraries[i].name && strcmp(libraries[i].name, name) != 0) continue;
        libraries[i].name = name;
        ++libraries[i].made;
        return;
    }
    abort();
}

__attribute__((destructor)) static void tell(void) {
    for (int i = 0; i < most_libraries && libraries[i].name; ++i)
        dprintf(2, "%d made by %s\n", libraries[i].made, libraries[i].name);
}

#define COUNTED(name, parameters, arguments)                                      \
    int name parameters {                                                         \
        int(*const real) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name); \
        count(__builtin_return_address(0));                                       \
        return real arguments;                                                    \
    }
#define BOTH(name, parameters, arguments) COUNTED(MPI_##name, parameters, arguments) COUNTED(PMPI_##name, parameters, arguments)

BOTH(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
BOTH(Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), (comm, made, request))
BOTH(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made))
BOTH(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
BOTH(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), (comm, group, tag, made))
BOTH(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made), (comm, colour, key, made))
BOTH(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made), (comm, type, key, info, made))
