// How much memory this machine can still give: asked before anyone maps, since a process that touches memory which is not
// there is killed without a message.
#pragma once

#include <cstddef>

#include "base/shared_memory.hpp"

namespace kumihimo::memory {

struct Capacity {
    std::size_t available;  // free now (kernel's estimate, swap included), the control group's limit applied
    std::size_t total;      // of the machine or the control group
};
Capacity capacity();

// What is left of this method's own space: /dev/shm for posix, no limit of its own else.
std::size_t method_space(base::SharingMethod method);

// What this process may still map (RLIMIT_AS).
std::size_t address_space();

}  // namespace kumihimo::memory
