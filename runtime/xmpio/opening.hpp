// How XMP-IO's files are opened: by an engine of ours, or by the MPI library where KUMIHIMO_IO leaves the file to it.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>

#include "mpiio/engine/engine.hpp"

namespace kumihimo::xmpio {

struct OpenedFile {
    std::unique_ptr<mpiio::EngineFile> file;  // none: it could not be opened
    const char* server = "mpi";               // the engine's name, or the MPI library
};

// Collective over `comm`, a copy that carries no other messages. amode: MPI_MODE_*. Nothing, with the failure, on every node or
// on none.
OpenedFile open_engine_file(MPI_Comm comm, const std::string& name, int amode, std::optional<base::Failure>& failure);
// (local) Of a file that is closed.
std::optional<base::Failure> remove_file(const std::string& name);

}  // namespace kumihimo::xmpio
