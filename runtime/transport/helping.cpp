#include "runtime/transport/helping.hpp"

#include <mpi.h>

#include <string>

#include "base/family.hpp"
#include "base/settings.hpp"

namespace kumihimo::transport {

namespace {

// As far as the launcher tells.
bool on_several_machines() {
    const int processes = base::processes_of_job().value_or(1);
    const long long pretended = base::setting_number("KUMIHIMO_NODES_PER_MACHINE");
    const int here = base::processes_here().value_or(processes);
    return (pretended > 0 && pretended < processes) || here < processes;
}

}  // namespace

bool thread_is_wanted(bool coarrays) {
    const std::string wish = base::setting("KUMIHIMO_PROGRESS_THREAD"), transport = base::setting("KUMIHIMO_TRANSPORT");
    if (wish != "auto") return wish == "on";
    return coarrays && (transport == "auto" || transport == "messages") && on_several_machines();
}

bool thread_may_help() {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE && base::setting("KUMIHIMO_PROGRESS_THREAD") != "off";
}

}  // namespace kumihimo::transport
