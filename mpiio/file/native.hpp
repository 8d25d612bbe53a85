// The MPI library's own functions behind our entry points, as far as served files need them: each served file has a real handle
// (of /dev/null, on this process alone), so that error handlers, MPI_File_c2f and calls that nobody foresaw work.
#pragma once

#include <mpi.h>

namespace kumihimo::mpiio::native {

// A real handle, with the error handler that new files inherit (that of MPI_FILE_NULL). MPI_FILE_NULL if MPI gives none.
MPI_File open_handle();
// Gives it back; kept for the next file, because opening one costs as much as a small transfer.
void release_handle(MPI_File handle);

// Calls the error handler of a real handle, or that of MPI_FILE_NULL, which is for failures without a file; returns the code
// as the handler leaves it.
int call_errhandler(MPI_File handle, int code);

}  // namespace kumihimo::mpiio::native
