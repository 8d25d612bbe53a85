// Who serves a file is decided alike on all ranks that open it, whatever differs between them: settings (rank 0's count), hints
// and prefixes (rank 0's engine counts). One message, which carries what opening a file has to agree on in any case.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <variant>

#include "base/agreement.hpp"
#include "mpiio/engine/selection.hpp"

namespace kumihimo::mpiio {

struct Decision {
    std::optional<Choice> served;  // none: the file stays with the MPI library
    bool advises = false;          // it stays there all the same, and is observed
    std::string name;              // for the MPI library
};
using Result = std::variant<Decision, base::Failure>;

// Collective, with the same result on all ranks but for the path. If the file is served, access modes are equal and make sense.
Result decide_on(MPI_Comm comm, const char* name, int amode, MPI_Info info);

// For one process alone (MPI_File_delete).
Result decide_on(const char* name, MPI_Info info);

}  // namespace kumihimo::mpiio
