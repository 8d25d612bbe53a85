#include "iod/marks/directory.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <climits>
#include <memory>

namespace kumihimo::iod::marks {

Directory::Directory(const std::string& path)
    : descriptor_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), path_(path) {
    if (!descriptor_) return;
    if (std::string real = path_of(descriptor_.get()); !real.empty()) path_ = std::move(real);
}

Directory Directory::duplicate() const {
    Directory same;
    same.descriptor_ = base::Descriptor(::fcntl(get(), F_DUPFD_CLOEXEC, 0));
    same.path_ = path_;
    return same;
}

void Directory::for_each(const Visit& visit) const {
    base::Descriptor readable(::openat(get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(readable ? ::fdopendir(readable.get()) : nullptr, ::closedir);
    if (!entries) return;
    readable.release();
    while (const dirent* const entry = ::readdir(entries.get())) visit(entry->d_name, entry->d_ino);
}

std::string path_of(int descriptor) {
    char path[PATH_MAX];
    const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
    if (length <= 0 || length == sizeof path || path[0] != '/') return "";
    return {path, static_cast<std::size_t>(length)};
}

}  // namespace kumihimo::iod::marks
