// Where a file really lies, found from the open file: past symbolic links, and however it was named. Marks lie there, too.
#pragma once

#include "iod/marks/directory.hpp"

namespace kumihimo::iod::marks {

struct Place {
    Directory directory;      // none: it cannot be found (the file was deleted meanwhile)
    std::string name;         // of the file, there
    std::uint64_t inode = 0;  // 0: there is no such file
    std::string born;         // when the file was made, empty if nobody can tell: an inode number is used again

    std::string path() const { return directory.path() + (directory.path().ends_with('/') ? "" : "/") + name; }
};

// known: its directory, perhaps, which is then not opened again.
Place place_of(int file, const std::string& path, const Directory& known = {});
std::string born_of(const Directory& directory, const std::string& name);
// Of a file that may be gone.
Place place_of(const std::string& path);

}  // namespace kumihimo::iod::marks
