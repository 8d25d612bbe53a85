// The part of a machine's files that a session may reach: names lead nowhere else, whatever they say and whatever links are
// exchanged meanwhile (openat2 with RESOLVE_BENEATH). With "/" links may lead anywhere, as for every other program of the user.
#pragma once

#include <string>

#include "base/descriptor.hpp"

namespace kumihimo::iod::process {

class Root {
public:
    // Throws std::system_error.
    explicit Root(const std::string& directory, bool read_only = false);

    // As open(2) and unlink(2): -1 with errno. EXDEV: the name leads out of the root. Names are relative to it, also with a
    // slash in front.
    int open(const std::string& name, int flags, unsigned permissions) const;
    int remove(const std::string& name) const;

private:
    int open_beneath(const std::string& name, int flags, unsigned permissions) const;
    int walk(const std::string& name, int flags, unsigned permissions) const;

    base::Descriptor directory_;
    bool whole_ = false, read_only_ = false;
};

}  // namespace kumihimo::iod::process
