#include "base/progress.hpp"

#include <utility>
#include <vector>

namespace kumihimo::base {

namespace {

// Of this thread. No object with a destructor: those of a thread end before the process's exit handlers, which wait for others.
thread_local std::vector<const Poller*>* pollers = nullptr;

}  // namespace

Poller::Poller(std::function<void()> poll) : poll_(std::move(poll)) {
    if (pollers == nullptr) pollers = new std::vector<const Poller*>;
    pollers->push_back(this);
}

Poller::~Poller() {
    std::erase(*pollers, this);
    if (pollers->empty()) delete std::exchange(pollers, nullptr);
}

bool must_poll() {
    return pollers != nullptr;
}

void progress() {
    if (pollers == nullptr) return;
    for (const Poller* const poller : *pollers) poller->poll();
}

}  // namespace kumihimo::base
