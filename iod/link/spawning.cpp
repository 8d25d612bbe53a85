#include "iod/link/spawning.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "iod/protocol/status.hpp"

extern char** environ;

namespace kumihimo::iod::link {

[[noreturn]] void cannot(const std::string& what, int error, const std::string& advice) {
    const std::system_error why(error, std::generic_category());
    throw base::Error(Status::of_exception(why, what).text, advice);
}

Pair socket_pair() {
    std::array<int, 2> ends;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        cannot("cannot make a socket for the I/O process", errno);
    return {base::Descriptor(ends[0]), base::Descriptor(ends[1])};
}

namespace {

// The agent is no part of the MPI job: libraries and variables of the launcher do not concern it.
bool of_the_job(std::string_view variable) {
    for (const std::string_view beginning :
         {"LD_PRELOAD=", "OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI", "HYDRA_", "HYDI_", "I_MPI_"})
        if (variable.starts_with(beginning)) return true;
    return false;
}

}  // namespace

std::vector<char*> environment() {
    std::vector<char*> kept;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (!of_the_job(*variable)) kept.push_back(*variable);
    kept.push_back(nullptr);
    return kept;
}

}  // namespace kumihimo::iod::link
