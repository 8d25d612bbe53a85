/* A Fortran program's own MPI_Init and MPI_Finalize, as runtime/execution/mpi_calls.cpp has C's: nothing to do where the
 * runtime begins and ends MPI. The names are those that gfortran gives to `use mpi`, mpif.h and `use mpi_f08`. */
#include <dlfcn.h>
#include <stddef.h>

#include "kumihimo/generated.h"

enum { success = 0 }; /* MPI_SUCCESS of both families */

static void* next(const char* name) {
    return dlsym(RTLD_NEXT, name);
}

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Query_thread(int* provided);

/* Where the linker found no other use of MPI's Fortran library and left it out, C's function does as well. */
#define CALL(name, parameters, arguments, owned, in_c)            \
    void name parameters {                                        \
        void* const theirs = XMP_Owns_mpi() ? NULL : next(#name); \
        if (theirs != NULL) {                                     \
            ((void(*) parameters)theirs) arguments;               \
        } else {                                                  \
            const int code = XMP_Owns_mpi() ? (owned) : (in_c);   \
            if (error != NULL) *error = code;                     \
        }                                                         \
    }
#define BOTH(name, parameters, arguments, owned, in_c) \
    CALL(name##_, parameters, arguments, owned, in_c)  \
    CALL(name##_f08_, parameters, arguments, owned, in_c)

BOTH(mpi_init, (int* error), (error), success, MPI_Init(NULL, NULL))
BOTH(mpi_finalize, (int* error), (error), success, MPI_Finalize())
BOTH(mpi_init_thread, (int* required, int* provided, int* error), (required, provided, error), MPI_Query_thread(provided),
     MPI_Init_thread(NULL, NULL, *required, provided))
