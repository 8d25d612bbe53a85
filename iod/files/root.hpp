// The part of a machine's files that a session may reach: names lead nowhere else, whatever they say and whatever links are
// exchanged meanwhile (openat2 with RESOLVE_BENEATH). With "/" links may lead anywhere, as for every other program of the user.
#pragma once

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "iod/link/budget.hpp"
#include "iod/protocol/status.hpp"

namespace kumihimo::iod::process {

// What a session may do with files there.
struct Rights {
    bool read = true;    // their contents, names and sizes
    bool write = true;   // those that are there
    bool create = true;  // new ones
    bool remove = true;
    bool channels = true;                     // connections by TCP, which whoever comes by ssh may ask for
    std::uint64_t bytes = Budget::unlimited;  // carried, in both directions
    bool change() const { return write || create || remove; }
};

class Root {
public:
    // `where`: what messages call this machine. Throws std::system_error.
    explicit Root(const std::string& directory, Rights rights = {}, std::string where = "on the other machine");

    // As open(2) and unlink(2): -1 with errno. EXDEV: the name leads out of the root. EROFS, EACCES: the right is not there.
    // Names are relative to it, also with a slash in front.
    int open(const std::string& name, int flags, unsigned permissions) const;
    int remove(const std::string& name) const;
    // As stat(2), fstatvfs(3) and rename(2); here the root itself has a name, too: "" or "/".
    int look(const std::string& name, struct stat& status, struct statvfs& space) const;
    int rename(const std::string& from, const std::string& to) const;
    // What is in a directory, but for "." and "..", in the order of the names' bytes.
    struct Entry {
        std::string name;
        struct stat status;  // of the link where it is one
    };
    int list(const std::string& name, std::vector<Entry>& entries) const;

    // Why one of these did nothing, for people.
    Status failure(const std::string& what, const std::string& name, int number) const;

    const std::string& path() const { return path_; }  // without links
    const Rights& rights() const { return rights_; }
    bool read_only() const { return !rights_.change(); }
    const std::string& where() const { return where_; }

private:
    int refuse() const;
    base::Descriptor directory_of(const std::string& name, std::string& last) const;
    int open_beneath(const std::string& name, int flags, unsigned permissions) const;
    int walk(const std::string& name, int flags, unsigned permissions) const;

    base::Descriptor directory_;
    std::string path_;
    bool whole_ = false;
    Rights rights_;
    std::string where_;
};

}  // namespace kumihimo::iod::process
