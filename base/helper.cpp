#include "base/helper.hpp"

#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace kumihimo::base {

namespace {

using std::chrono::microseconds;

constexpr microseconds longest_pause{10000};
constexpr microseconds shortest_pause{50};  // the processor is the computation's: two messages' time between machines
constexpr int looks_before_longer_pauses = 20;

// Signals are the program's, and pauses are to be as short as they are asked for.
void be_quiet() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    prctl(PR_SET_TIMERSLACK, 1);
}

}  // namespace

Helper::Helper(std::function<bool()> poll) : poll_(std::move(poll)), thread_([this] { run(); }) {}

Helper::~Helper() {
    {
        const std::lock_guard lock(ending_);
        ends_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void Helper::run() {
    be_quiet();
    microseconds pause = longest_pause;
    std::unique_lock lock(ending_);
    for (int looks = 0; !ended_.wait_for(lock, pause, [this] { return ends_; }); ++looks) {
        try {
            if (poll_()) {
                looks = 0;
                pause = shortest_pause;
            } else if (looks >= looks_before_longer_pauses) {
                pause = std::min(2 * pause, longest_pause);
            }
        } catch (const std::exception&) {
            return;  // what is wrong is found by the thread that computes, when it next waits
        }
    }
}

}  // namespace kumihimo::base
