// A time in seconds, to take differences of.
#pragma once

#include <chrono>

namespace kumihimo::base {

inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace kumihimo::base
