// What has to be looked at before an MPI library opens a file by its own MPI-IO, and what such a library says when it fails.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "runtime/xmpio/agreement.hpp"

namespace kumihimo::xmpio {

struct Rehearsal {
    std::optional<Failure> failure;
    base::Descriptor file;  // as this node has opened it; none if it is only read, or the name is a driver's ("ufs:...")
};

// Collective: opens (creates) the file once by hand, before MPI does, or asks whether it can be read. amode: MPI_MODE_*. MPI
// libraries disagree about an open that fails on some nodes only (Open MPI's other nodes wait for ever), and they drop errno.
Rehearsal rehearse(MPI_Comm comm, const std::string& name, int amode);

// Sentence for a failed MPI call: the class's text, and what the operating system said where that is known.
std::string mpi_error_text(int code, int system_error);
bool file_system_error(int number);  // what a file system says; any other errno may be left over from elsewhere

}  // namespace kumihimo::xmpio
