// What an I/O process has from the rank that started it, and files that it opens depend on. One that is kept for later files
// serves them only while this is what the rank itself has.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace kumihimo::iod {

struct Inherited {
    uid_t user;
    gid_t group;
    mode_t mask;          // of the permissions of new files
    rlim_t largest_file;  // bytes
    bool operator==(const Inherited&) const = default;
};

Inherited inherited_now();

}  // namespace kumihimo::iod
