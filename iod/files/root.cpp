#include "iod/files/root.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <system_error>

namespace kumihimo::iod::process {

namespace {

int fail(int number) {
    errno = number;
    return -1;
}

bool makes(int flags) {
    return (flags & O_CREAT) != 0;
}

// Without the slashes in front; empty: no name at all.
std::string relative(const std::string& name) {
    const std::size_t first = name.find_first_not_of('/');
    return first == std::string::npos ? "" : name.substr(first);
}

// What no file of ours is called. A step up may be harmless, but nobody needs it.
int objection(const std::string& name) {
    if (name.empty()) return ENOENT;
    if (name.find('\0') != std::string::npos) return EINVAL;
    if (name.size() >= PATH_MAX) return ENAMETOOLONG;
    for (std::size_t begin = 0, end; begin <= name.size(); begin = end + 1) {
        end = std::min(name.find('/', begin), name.size());
        if (name.compare(begin, end - begin, "..") == 0) return EXDEV;
    }
    return 0;
}

}  // namespace

Root::Root(const std::string& directory, bool read_only)
    : directory_(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), read_only_(read_only) {
    if (!directory_) throw std::system_error(errno, std::generic_category(), "the root '" + directory + "'");
    char real[PATH_MAX];
    whole_ = ::realpath(directory.c_str(), real) != nullptr && std::string(real) == "/";
}

// O_NONBLOCK: a FIFO has nobody at its other end, and the open would wait for ever.
int Root::open(const std::string& given, int flags, unsigned permissions) const {
    const std::string name = relative(given);
    if (const int why = objection(name); why != 0) return fail(why);
    const bool changes = (flags & O_ACCMODE) != O_RDONLY || makes(flags) || (flags & O_TRUNC) != 0;
    if (read_only_ && changes && (flags & O_PATH) == 0) return fail(EROFS);
    return open_beneath(name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, permissions);
}

int Root::open_beneath(const std::string& name, int flags, unsigned permissions) const {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.mode = makes(flags) ? permissions & 07777 : 0;
    how.resolve = RESOLVE_NO_MAGICLINKS | (whole_ ? 0 : RESOLVE_BENEATH);
    const long opened = ::syscall(SYS_openat2, directory_.get(), name.c_str(), &how, sizeof how);
    if (opened < 0 && (errno == ENOSYS || errno == EPERM)) return walk(name, flags, permissions);
    return static_cast<int>(opened);
}

// Kernels before 5.6, and containers that hide the call: name by name, and no link is followed.
int Root::walk(const std::string& name, int flags, unsigned permissions) const {
    base::Descriptor at(::fcntl(directory_.get(), F_DUPFD_CLOEXEC, 0));
    std::size_t begin = 0;
    for (std::size_t end; at && (end = name.find('/', begin)) != std::string::npos; begin = end + 1) {
        if (end == begin) continue;
        const std::string part = name.substr(begin, end - begin);
        base::Descriptor next(::openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        at = std::move(next);
    }
    if (!at) return -1;
    const std::string last = begin < name.size() ? name.substr(begin) : ".";
    return ::openat(at.get(), last.c_str(), flags | O_NOFOLLOW, permissions);
}

int Root::remove(const std::string& given) const {
    const std::string name = relative(given);
    if (const int why = objection(name); why != 0) return fail(why);
    if (read_only_) return fail(EROFS);
    const std::size_t slash = name.rfind('/');
    const std::string above = slash == std::string::npos ? "." : name.substr(0, slash);
    const base::Descriptor parent(open_beneath(above, O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
    if (!parent) return -1;
    return ::unlinkat(parent.get(), name.substr(slash == std::string::npos ? 0 : slash + 1).c_str(), 0);
}

}  // namespace kumihimo::iod::process
