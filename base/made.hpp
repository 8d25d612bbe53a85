// How many communicators and shared segments Kumihimo made in this process: each costs collective calls, so they should be few.
#pragma once

#include <atomic>

namespace kumihimo::base {

// Plain data: libraries of different versions may meet in one process.
struct Made {
    std::atomic<int> communicators;
    std::atomic<int> segments;  // mappings of memory that other processes map, too
    std::atomic<bool> told_of;  // somebody tells when the program ends
};

Made& made();  // by all libraries of Kumihimo in this process, linked and preloaded

}  // namespace kumihimo::base
