#include "iod/client/inherited.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace kumihimo::iod {

namespace {

// umask() itself cannot ask without changing it, which other threads would notice.
mode_t mask_now() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("Umask:")) return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
    return 0;
}

}  // namespace

Inherited inherited_now() {
    rlimit largest{};
    getrlimit(RLIMIT_FSIZE, &largest);
    return {geteuid(), getegid(), mask_now(), largest.rlim_cur};
}

}  // namespace kumihimo::iod
