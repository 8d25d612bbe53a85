#include "iod/marks/place.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/format.hpp"

namespace kumihimo::iod::marks {

namespace {

namespace fs = std::filesystem;

// Nothing is asked of a network file system that it has not told already: the file is open.
struct Identity {
    struct statx about {};
    bool known;

    Identity(int directory, const char* name, int flags)
        : known(::statx(directory, name, flags | AT_STATX_DONT_SYNC, STATX_INO | STATX_BTIME, &about) == 0) {}
    bool operator==(const Identity& other) const {
        return known && other.known && about.stx_ino == other.about.stx_ino &&
               about.stx_dev_major == other.about.stx_dev_major && about.stx_dev_minor == other.about.stx_dev_minor;
    }
    std::string born() const {
        if ((about.stx_mask & STATX_BTIME) == 0) return "";
        return fmt::format("{}.{:09}", about.stx_btime.tv_sec, about.stx_btime.tv_nsec);
    }
};

std::string real_path_of(int file, const std::string& path) {
    if (std::string real = path_of(file); !real.empty()) return real;
    std::error_code none;
    return fs::weakly_canonical(path, none).string();
}

}  // namespace

// It may be renamed while it is looked for.
Place place_of(int file, const std::string& path, const Directory& known) {
    const Identity mine(file, "", AT_EMPTY_PATH);
    Place place;
    place.inode = mine.about.stx_ino;
    place.born = mine.born();
    for (int look = 0; look < 3; ++look) {
        const fs::path real = real_path_of(file, path);
        place.name = real.filename().string();
        const std::string parent = real.parent_path().string();
        place.directory = known && known.path() == parent ? known.duplicate() : Directory(parent);
        if (place.directory && mine == Identity(place.directory.get(), place.name.c_str(), AT_SYMLINK_NOFOLLOW)) return place;
    }
    place.directory = {};
    return place;
}

std::string born_of(const Directory& directory, const std::string& name) {
    return Identity(directory.get(), name.c_str(), AT_SYMLINK_NOFOLLOW).born();
}

Place place_of(const std::string& path) {
    const base::Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (file)
        if (Place place = place_of(file.get(), path); place.directory) return place;
    const fs::path real = fs::weakly_canonical(fs::absolute(path));
    return {Directory(real.parent_path().string()), real.filename().string(), 0, ""};
}

}  // namespace kumihimo::iod::marks
