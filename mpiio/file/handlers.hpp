// Error handlers that a program makes. MPI calls them with the code that the failed call will return, and they may change it
// (MPI 3.1, section 8.3); but MPI_File_call_errhandler, by which served files have theirs called, does not tell what they made
// of it. So a function of ours stands before each of them, and remembers.
#pragma once

#include <mpi.h>

namespace kumihimo::mpiio::handlers {

// What MPI is given instead of a program's function. Fortran's is called like C's, with two addresses.
MPI_File_errhandler_function* stand_in_for(MPI_File_errhandler_function* function);

// Where the handler that is called next on this thread leaves its code.
int*& answer();

// Calls an error handler by `call(code)`; returns the code as the handler leaves it.
template <typename Call>
int answer_of(int code, Call&& call) {
    int result = code;
    int* const before = answer();
    answer() = &result;
    call(code);
    answer() = before;
    return result;
}

// MPI_File_create_errhandler, by the definition that comes next.
template <typename Create>
int create_errhandler(Create&& create, MPI_File_errhandler_function* function, MPI_Errhandler* handler) {
    return create(stand_in_for(function), handler);
}

}  // namespace kumihimo::mpiio::handlers
