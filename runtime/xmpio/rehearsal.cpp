#include "runtime/xmpio/rehearsal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kumihimo::xmpio {

namespace {

// Names like "stampi:..." or "ufs:..." belong to an MPI-IO driver; only plain paths can be looked at directly.
bool plain_path(const std::string& name) {
    const auto colon = name.find(':');
    return colon == std::string::npos || name.find('/') < colon;
}

std::optional<Failure> failure_of(int error, const char* verb, const std::string& name) {
    if (error == 0) return std::nullopt;
    return Failure{-1, std::string("cannot ") + verb + " '" + name + "': " + std::strerror(error), error};
}

void try_open(Rehearsal& rehearsal, const std::string& name, int flags, const char* verb) {
    int descriptor;
    do descriptor = ::open(name.c_str(), flags | O_CLOEXEC, 0666);
    while (descriptor < 0 && errno == EINTR);
    int error = descriptor < 0 ? errno : 0;
    rehearsal.file = base::Descriptor(descriptor);
    struct stat status {};
    if (error == 0 && ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
    rehearsal.failure = failure_of(error, verb, name);
}

// Network file systems answer this from what they know, where an open is a message or more.
void ask_to_read(Rehearsal& rehearsal, const std::string& name) {
    struct stat status {};
    int error = ::faccessat(AT_FDCWD, name.c_str(), R_OK, AT_EACCESS) == 0 && ::stat(name.c_str(), &status) == 0 ? 0 : errno;
    if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
    rehearsal.failure = failure_of(error, "open", name);
}

}  // namespace

bool file_system_error(int number) {
    switch (number) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
        case EIO:
        case EROFS:
        case EACCES:
        case EPERM:
        case ENOENT:
        case ESTALE:
        case ENOMEM:
        case EBADF:
        case EISDIR:
        case ENAMETOOLONG:
        case ETIMEDOUT:
            return true;
        default:
            return false;
    }
}

Rehearsal rehearse(MPI_Comm comm, const std::string& name, int amode) {
    Rehearsal mine;
    if (!plain_path(name)) return mine;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const bool writes = (amode & MPI_MODE_RDONLY) == 0, creates = (amode & MPI_MODE_CREATE) != 0;
    const int access = (amode & MPI_MODE_RDWR) != 0 ? O_RDWR : writes ? O_WRONLY : O_RDONLY;
    if (creates) {
        if (rank == 0) try_open(mine, name, access | O_CREAT | ((amode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0), "create");
        if ((mine.failure = agree(comm, mine.failure))) return mine;
    }
    if (!writes)
        ask_to_read(mine, name);
    else if (rank != 0 || !creates)
        try_open(mine, name, access, "write");
    mine.failure = agree(comm, mine.failure);
    return mine;
}

std::string mpi_error_text(int code, int system_error) {
    if (file_system_error(system_error)) return std::strerror(system_error);
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::string result(text, length);
    return result.substr(0, result.find('\n'));
}

}  // namespace kumihimo::xmpio
