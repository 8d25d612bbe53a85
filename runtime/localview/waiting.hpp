// How images wait for each other: what they wait for comes as mail or into memory, and may be kept away by a failure.
#pragma once

#include "base/progress.hpp"
#include "base/wait.hpp"
#include "runtime/localview/failures.hpp"

namespace kumihimo::localview {

// What a wait does that polls by itself: receives messages, and lets whatever other images may need of this one go on.
inline void progress() {
    base::progress();
    look();
}

template <typename Ready>
void wait_until(Ready&& ready) {
    if (has_far_images())  // which messages bring everything of: nothing is worth bare polls
        base::wait_until([&] { return ready() || (look(), ready()); });
    else
        base::wait_for_memory(ready, base::Waiting::brief, 16, look);
}

}  // namespace kumihimo::localview
