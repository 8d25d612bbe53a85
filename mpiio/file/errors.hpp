// From a Failure to what an MPI call returns: a code of the right class whose text says what happened.
#pragma once

#include <string>

#include "base/agreement.hpp"

namespace kumihimo::mpiio {

using base::Failure;

// A code of class failure.code. Its MPI_Error_string is the failure's text until the next failure of that class; where the MPI
// library cannot add texts to its own classes (MPICH) it is the class.
int error_code(const Failure& failure);

// The text of the last failure on this process, for people: printed once ("kumihimo: MPI_File_write_at: ...") if
// KUMIHIMO_XMPIO_MESSAGES is 1 and `print`.
void report_failure(const char* function, const Failure& failure, bool print);

inline Failure failure(int error_class, std::string text) {
    return Failure{error_class, std::move(text)};
}

}  // namespace kumihimo::mpiio
