#include "iod/process/stdio.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "iod/link/spawning.hpp"

namespace kumihimo::iod {

namespace {

constexpr int pipe_bytes = 1 << 20;  // as much as any user may have; the default has a processor switch every 64 KiB

// Nobody can wait until a file has something to read.
base::Descriptor away(int standard) {
    struct stat status {};
    base::Descriptor end(fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!end || fstat(end.get(), &status) != 0) link::cannot("standard input and output", errno);
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        throw base::Error("standard input or output is a file", "ssh starts kumihimo-iod --stdio with pipes.");
    fcntl(end.get(), F_SETPIPE_SZ, pipe_bytes);  // only where it is a pipe
    return end;
}

}  // namespace

process::Ends standard_streams() {
    process::Ends ends(away(STDIN_FILENO), away(STDOUT_FILENO));
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return ends;
}

}  // namespace kumihimo::iod
