#include "iod/files/root.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

#include "base/format.hpp"

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

std::string or_root(const std::string& name) {
    return name.empty() ? "." : name;
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

Root::Root(const std::string& directory, Rights rights, std::string where)
    : directory_(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), rights_(rights), where_(std::move(where)) {
    if (!directory_) throw std::system_error(errno, std::generic_category(), "the root '" + directory + "'");
    char real[PATH_MAX];
    path_ = ::realpath(directory.c_str(), real) != nullptr ? real : directory;
    whole_ = path_ == "/";
}

Status Root::failure(const std::string& what, const std::string& name, int number) const {
    const std::string told = fmt::format("cannot {} '{}' {}", what, name, where_);
    if (number != EXDEV) return Status::of_errno(number, told);
    return {Code::bad_name, fmt::format("{}: {}", told, whole_ ? "'..' is not allowed here" : "it leads out of the root"),
            "EXDEV"};
}

int Root::refuse() const {
    return fail(rights_.change() ? EACCES : EROFS);
}

// O_NONBLOCK: a FIFO has nobody at its other end, and the open would wait for ever.
int Root::open(const std::string& given, int flags, unsigned permissions) const {
    const std::string name = relative(given);
    if (const int why = objection(name); why != 0) return fail(why);
    const bool reads = (flags & O_ACCMODE) != O_WRONLY;
    const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
    if ((reads && !rights_.read) || (writes && !rights_.write) || (makes(flags) && !rights_.create)) return refuse();
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

base::Descriptor Root::directory_of(const std::string& name, std::string& last) const {
    const std::size_t slash = name.rfind('/');
    last = name.substr(slash == std::string::npos ? 0 : slash + 1);
    return base::Descriptor(
        open_beneath(slash == std::string::npos ? "." : name.substr(0, slash), O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
}

int Root::remove(const std::string& given) const {
    const std::string name = relative(given);
    if (const int why = objection(name); why != 0) return fail(why);
    if (!rights_.remove) return refuse();
    std::string last;
    const base::Descriptor parent = directory_of(name, last);
    return parent ? ::unlinkat(parent.get(), last.c_str(), 0) : -1;
}

int Root::rename(const std::string& given_from, const std::string& given_to) const {
    const std::string from = relative(given_from), to = relative(given_to);
    for (const std::string& name : {from, to})
        if (const int why = objection(name); why != 0) return fail(why);
    if (!rights_.remove || !rights_.create) return refuse();
    std::string last_from, last_to;
    const base::Descriptor parent_from = directory_of(from, last_from);
    if (!parent_from) return -1;
    const base::Descriptor parent_to = directory_of(to, last_to);
    if (!parent_to) return -1;
    return ::renameat(parent_from.get(), last_from.c_str(), parent_to.get(), last_to.c_str());
}

int Root::look(const std::string& given, struct stat& status, struct statvfs& space) const {
    const std::string name = or_root(relative(given));
    if (const int why = objection(name); why != 0) return fail(why);
    if (!rights_.read) return refuse();
    const base::Descriptor found(open_beneath(name, O_PATH | O_CLOEXEC, 0));
    if (!found) return -1;
    return ::fstat(found.get(), &status) == 0 && ::fstatvfs(found.get(), &space) == 0 ? 0 : -1;
}

// Names that vanish meanwhile are left out.
int Root::list(const std::string& given, std::vector<Entry>& entries) const {
    const std::string name = or_root(relative(given));
    if (const int why = objection(name); why != 0) return fail(why);
    if (!rights_.read) return refuse();
    base::Descriptor found(open_beneath(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
    DIR* const directory = found ? ::fdopendir(found.get()) : nullptr;
    if (directory == nullptr) return -1;
    (void)found.release();
    errno = 0;
    while (const dirent* const one = ::readdir(directory)) {
        const std::string entry = one->d_name;
        struct stat status {};
        if (entry != "." && entry != ".." && ::fstatat(::dirfd(directory), one->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            entries.push_back({entry, status});
        errno = 0;
    }
    const int why = errno;
    ::closedir(directory);
    std::ranges::sort(entries, {}, &Entry::name);
    return why == 0 ? 0 : fail(why);
}

}  // namespace kumihimo::iod::process
