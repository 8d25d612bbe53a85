// The only place that knows which MPI implementation this library was built for (Open MPI or MPICH).
#pragma once

#include <optional>
#include <string>

namespace kumihimo::base {

const char* family_name();     // "openmpi", "mpich"
std::string family_library();  // the first line of what the MPI library says about itself; may be called before MPI_Init

// The family of the MPI library that this program calls, which is another than ours if a library of ours for the wrong family
// was preloaded; empty if it cannot be told.
std::string family_of_program();

// A launcher that started this process as one of several, although MPI sees only one: it belongs to another MPI family, or
// speaks another process-management interface. None if all is well. Call when MPI_COMM_WORLD has one process.
struct ForeignLaunch {
    std::string launcher;  // for the message
    std::string evidence;  // "PMI_SIZE=4"
    int processes;
    int rank;  // of this process for that launcher
};
std::optional<ForeignLaunch> foreign_launch();

// How many processes of this job the launcher says it started on this machine; none if it does not say. Without communication.
std::optional<int> processes_here();
// The same of all machines.
std::optional<int> processes_of_job();

}  // namespace kumihimo::base
