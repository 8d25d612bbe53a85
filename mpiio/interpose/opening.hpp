// Entry points that take a file's name: here it is decided whether Kumihimo serves it.
#pragma once

#include <mpi.h>

#include "mpiio/advise/observer.hpp"
#include "mpiio/file/next.hpp"
#include "mpiio/file/operations.hpp"
#include "mpiio/interpose/decision.hpp"

namespace kumihimo::mpiio {

// Not a copy of this library with another behind it, nor a program of another MPI, nor a call that only MPI can refuse.
bool concerns_us(MPI_Comm comm, const char* name);

// Says on rank 0 what is wrong, once, and calls the error handler of files that are not open yet (that of MPI_FILE_NULL).
// Returns its code.
int refuse(const char* function, MPI_Comm comm, const base::Failure& failure);

template <typename NextOpen>
int open_by_name(NextOpen& next, MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* file) {
    if (!concerns_us(comm, name)) return next(comm, name, amode, info, file);
    const Result result = decide_on(comm, name, amode, info);
    if (auto* const failure = std::get_if<base::Failure>(&result)) {
        *file = MPI_FILE_NULL;
        return refuse("MPI_File_open", comm, *failure);
    }
    const Decision& decision = std::get<Decision>(result);
    if (!decision.served) return next(comm, decision.name.c_str(), amode, info, file);
    if (!decision.advises) return operations::open(comm, *decision.served, amode, info, file);
    const double start = MPI_Wtime();
    const int code = next(comm, decision.name.c_str(), amode, info, file);
    if (code == MPI_SUCCESS) advise::begin(comm, *decision.served, amode, *file, MPI_Wtime() - start);
    return code;
}

template <typename NextDelete>
int delete_by_name(NextDelete& next, const char* name, MPI_Info info) {
    if (!concerns_us(MPI_COMM_SELF, name)) return next(name, info);
    const Result result = decide_on(name, info);
    if (auto* const failure = std::get_if<base::Failure>(&result)) return refuse("MPI_File_delete", MPI_COMM_SELF, *failure);
    const Decision& decision = std::get<Decision>(result);
    if (!decision.served || decision.advises) return next(decision.name.c_str(), info);
    return operations::remove(*decision.served, info);
}

// MPI_File_get_type_extent, whose result may not hold every extent.
int get_small_extent(File& file, MPI_Datatype type, MPI_Aint* extent);

}  // namespace kumihimo::mpiio
