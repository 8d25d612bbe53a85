// Entry points that take a file's name: here it is decided whether Kumihimo serves it.
#pragma once

#include <mpi.h>

#include "mpiio/advise/observer.hpp"
#include "mpiio/file/next.hpp"
#include "mpiio/file/operations.hpp"
#include "mpiio/interpose/selection.hpp"

namespace kumihimo::mpiio {

// By the name, the hint and KUMIHIMO_IO. Untouched: another copy of this library comes first, or the program is of another MPI.
Verdict verdict_on(const char* name, MPI_Info info);

// Says once what is wrong, and calls the error handler of files that are not open yet (that of MPI_FILE_NULL). Returns its
// code.
int refuse(const char* function, const Refusal& refusal);

template <typename NextOpen>
int open_by_name(NextOpen& next, MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* file) {
    const Verdict verdict = verdict_on(name, info);
    if (auto* const refusal = std::get_if<Refusal>(&verdict)) return refuse("MPI_File_open", *refusal);
    auto* const choice = std::get_if<Choice>(&verdict);
    if (choice == nullptr) return next(comm, name, amode, info, file);
    if (!advise::wanted()) return operations::open(comm, *choice, amode, info, file);
    const double start = MPI_Wtime();
    const int code = next(comm, choice->path.c_str(), amode, info, file);
    if (code == MPI_SUCCESS) advise::begin(comm, *choice, amode, *file, MPI_Wtime() - start);
    return code;
}

template <typename NextDelete>
int delete_by_name(NextDelete& next, const char* name, MPI_Info info) {
    const Verdict verdict = verdict_on(name, info);
    if (auto* const refusal = std::get_if<Refusal>(&verdict)) return refuse("MPI_File_delete", *refusal);
    auto* const choice = std::get_if<Choice>(&verdict);
    if (choice == nullptr) return next(name, info);
    return advise::wanted() ? next(choice->path.c_str(), info) : operations::remove(*choice, info);
}

// MPI_File_get_type_extent, whose result may not hold every extent.
int get_small_extent(File& file, MPI_Datatype type, MPI_Aint* extent);

}  // namespace kumihimo::mpiio
