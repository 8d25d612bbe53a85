#include "iod/marks/marker.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/format.hpp"
#include "base/persistent.hpp"
#include "iod/marks/marks.hpp"

namespace kumihimo::iod::marks {

namespace {

constexpr int most_attempts = 10;

// No marks can be here: no rights, a directory that is no more, a file system with short names.
bool is_forbidden(int number) {
    for (const int reason : {EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ESTALE, ENAMETOOLONG})
        if (number == reason) return true;
    return false;
}

// Whether there are locks here. Who looks at a mark holds it for a moment.
bool lock(int file) {
    const auto attempt = [file](int how) { return base::persistent([&] { return ::flock(file, how); }) == 0; };
    return attempt(LOCK_EX | LOCK_NB) || (errno == EWOULDBLOCK && attempt(LOCK_EX));
}

}  // namespace

Marker::Marker(std::uint32_t server, const Opening& opening) : name_{"", server, 0, hex_of(opening)} {}

void Marker::lies_beside(Place place) {
    place_ = std::move(place);
    name_.stem = stem_of(place_.name);
    name_.inode = place_.inode;
}

Status Marker::failure(const std::string& what, int number) const {
    if (is_forbidden(number)) return {};
    return Status::of_errno(number, fmt::format("cannot {} the mark '{}/{}'", what, place_.directory.path(), name_.text()));
}

Status Marker::set() {
    if (set_) return {};
    if (place_.directory)
        if (Status status = publish(); !status.ok()) return status;
    set_ = true;
    return {};
}

// It has its name only when it is locked and says whose it is: who finds it without a lock may be sure of a crash. Its contents
// are for people; a file system that is full has no room for them. Others leave it alone while it is made; an old one may be
// removed in this moment.
Status Marker::publish() {
    MarkName beginning = name_;
    beginning.counts = false;
    const int directory = place_.directory.get();
    const std::string from = beginning.text(), to = name_.text();
    for (int attempt = 0;; ++attempt) {
        base::Descriptor file(::openat(directory, from.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (!file) return failure("create", errno);
        const bool locks = lock(file.get());
        const std::string text = contents(place_, locks);
        [[maybe_unused]] const ssize_t written = ::write(file.get(), text.data(), text.size());
        if (::renameat(directory, from.c_str(), directory, to.c_str()) == 0) {
            locked_ = std::move(file);
            return {};
        }
        const int number = errno;
        ::unlinkat(directory, from.c_str(), 0);
        if (number != ENOENT || attempt == most_attempts) return failure("create", number);
    }
}

// Removed before it is unlocked.
Status Marker::clear() {
    if (!set_) return {};
    if (place_.directory && ::unlinkat(place_.directory.get(), name_.text().c_str(), 0) != 0)
        if (Status status = failure("remove", errno); !status.ok()) return status;
    set_ = false;
    return {};
}

}  // namespace kumihimo::iod::marks
