#include "runtime/caf/token.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/localview/failures.hpp"

namespace kumihimo::caf {

namespace {

// gfortran 12 hands a copy of the text to collective subroutines where they expect its address: what came as address is none.
bool reachable(const char* text) {
    char byte;
    const iovec here = {&byte, 1}, there = {const_cast<char*>(text), 1};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 || errno == EPERM || errno == ENOSYS;
}

}  // namespace

void Outcome::report(int status, const base::Error& error) const {
    if (stat == nullptr) throw error;
    *stat = status;
    if (message == nullptr || !reachable(message)) return;
    const std::size_t written = std::min(length, std::strlen(error.what()));
    std::memcpy(message, error.what(), written);
    std::memset(message + written, ' ', length - written);  // Fortran's blanks
}

void Outcome::report(const localview::Missing& missing) const {
    const bool failed = missing.absence == localview::Absence::failed;
    if (failed) localview::note_failures_told();
    report(failed ? stat_failed_image : stat_stopped_image, missing);
}

}  // namespace kumihimo::caf
