// Files of the service for other machines as files of MPI: what is asked becomes calls of MPI-IO, all by one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "iod/files/storage.hpp"

namespace kumihimo::mpiio::remote {

struct Choices {
    std::vector<std::pair<std::string, std::string>> hints;  // for MPI_File_open
    bool shared = false;  // other I/O processes have the same files: in atomic mode, so that each finds what others wrote
};

// MPI must be there, for one thread at a time, until all that is stored is gone.
iod::process::Store mpi_store(Choices choices);

}  // namespace kumihimo::mpiio::remote
