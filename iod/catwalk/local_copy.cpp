#include "iod/catwalk/local_copy.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>

#include "iod/catwalk/local_file.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr std::uint64_t parts_left_free = 20;  // one of so many of the disk is others'

bool is_memory(int file) {
    struct statfs system;
    return fstatfs(file, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

}  // namespace

// Without a name from the beginning, where the file system can do that.
bool LocalCopy::open() {
    const std::string place = local_directory(directory_).string();
    file_ = base::Descriptor(::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file_) return true;
    std::string name = place + "/kumihimo-copy-XXXXXX";
    file_ = base::Descriptor(::mkostemp(name.data(), O_CLOEXEC));
    return file_ && ::unlink(name.c_str()) == 0;
}

bool LocalCopy::begin() {
    if (file_ || unusable_) return !unusable_;
    unusable_ = !open() || (directory_.empty() && is_memory(file_.get()));
    if (unusable_) file_ = {};
    return !unusable_;
}

bool LocalCopy::has_room(std::size_t bytes) const {
    struct statvfs disk;
    if (fstatvfs(file_.get(), &disk) != 0) return true;  // the write will tell
    return disk.f_bavail >= disk.f_blocks / parts_left_free + bytes / disk.f_frsize;
}

bool LocalCopy::write(std::uint64_t position, std::span<const std::byte> bytes) {
    if (full_ || !begin()) return false;
    full_ = !has_room(bytes.size()) || !write_all(file_.get(), position, bytes);
    if (!full_) written_ += bytes.size();
    return !full_;
}

bool LocalCopy::read(std::uint64_t position, std::span<std::byte> to) {
    return file_ && read_all(file_.get(), position, to);
}

// Its blocks are free again.
void LocalCopy::clear() {
    full_ = false;
    if (file_ && ::ftruncate(file_.get(), 0) != 0) file_ = {};
}

}  // namespace kumihimo::iod::process
