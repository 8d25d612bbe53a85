#include "base/progress.hpp"

#include <utility>

// Those of this thread, the latest first. Several libraries of Kumihimo in one process, linked and preloaded, find one list:
// the dynamic linker takes the first of this name. A plain pointer: objects of a thread end before the process's exit handlers,
// which wait for others.
extern "C" __attribute__((visibility("default"))) thread_local constinit kumihimo::base::Poller* kumihimo_pollers;
thread_local constinit kumihimo::base::Poller* kumihimo_pollers = nullptr;

namespace kumihimo::base {

Poller::Poller(void (*poll)(void*), void* what) : poll_(poll), what_(what), next_(std::exchange(kumihimo_pollers, this)) {}

Poller::~Poller() {
    Poller** place = &kumihimo_pollers;
    while (*place != this) place = &(*place)->next_;
    *place = next_;
}

bool must_poll() {
    return kumihimo_pollers != nullptr;
}

void progress() {
    for (const Poller* poller = kumihimo_pollers; poller != nullptr; poller = poller->next_) poller->poll_(poller->what_);
}

}  // namespace kumihimo::base
